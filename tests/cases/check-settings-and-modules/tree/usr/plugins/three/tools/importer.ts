import { gone } from "../lib/here.ts";
import { Tool } from "toolroom";

export default class extends Tool {
  async execute() {
    return this.success(gone);
  }
}
