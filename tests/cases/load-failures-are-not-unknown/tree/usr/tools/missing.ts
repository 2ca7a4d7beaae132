import { Tool } from "toolroom";
import pad from "left-pad";
export default class extends Tool {
  async execute() {
    return this.success(pad("x", 2));
  }
}
