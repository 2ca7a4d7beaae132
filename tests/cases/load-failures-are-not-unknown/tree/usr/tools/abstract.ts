import { Tool } from "toolroom";
export default class extends Tool {}
