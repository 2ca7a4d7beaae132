import { Tool } from "toolroom";
export default class Greet extends Tool {
  async execute() {
    return this.success("hello";
  }
}
