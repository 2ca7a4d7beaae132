import { Tool, z } from "toolroom";

export default class extends Tool {
  static readonly parameters = z.object({ when: z.date() });

  async execute() {
    return this.success("");
  }
}
