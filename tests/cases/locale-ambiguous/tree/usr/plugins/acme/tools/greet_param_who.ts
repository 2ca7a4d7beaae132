import { Tool } from "toolroom";

export default class GreetParamWho extends Tool {
  async execute() {
    return this.success("hello");
  }
}
