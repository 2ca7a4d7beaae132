import { Extension, type PointMap } from "toolroom";

/** Marks the progress of tools, so that one sees that an extension ran. */
export default class Mark extends Extension<"tool_output_update"> {
  execute(payload: PointMap["tool_output_update"]) {
    payload.content = `[example] ${payload.content}`;
  }
}
