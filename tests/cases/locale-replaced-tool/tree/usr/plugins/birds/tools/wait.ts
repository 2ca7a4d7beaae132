import { Tool } from "toolroom";

export default class Wait extends Tool {
  static readonly description = "Waits for a bird.";

  async execute() {
    return this.success("There it is.");
  }
}
