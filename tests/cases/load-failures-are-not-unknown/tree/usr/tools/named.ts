import { Tool } from "toolroom";
export class Named extends Tool {
  async execute() {
    return this.success("x");
  }
}
