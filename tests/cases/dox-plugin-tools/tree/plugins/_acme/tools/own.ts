import { Tool, z } from "toolroom";
import { size } from "../lib/size.ts";

export default class extends Tool {
  static readonly parameters = z.object({});
  static readonly risk = "low";

  async execute() {
    return this.success(await size(this.workspace));
  }
}
