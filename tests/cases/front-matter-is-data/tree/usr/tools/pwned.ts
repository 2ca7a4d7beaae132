import { Tool } from "toolroom";
export default class extends Tool {
  static readonly description = "tells";
  static readonly risk = "low";
  async execute() {
    return this.success(String((globalThis as { toolroomPwned?: string }).toolroomPwned ?? "untouched"));
  }
}
