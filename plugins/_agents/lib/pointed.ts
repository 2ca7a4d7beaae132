import { ToolError } from "toolroom";

/**
 * What `work` gives. Where it fails at a part of what it was given, the error points to the argument of the tool instead.
 *
 * @param places what a pointer begins with, and what stands for that
 */
export async function pointed<T>(work: Promise<T>, places: readonly (readonly [string, string])[]): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof ToolError) || error.details.pointer === undefined) throw error;
    const { pointer } = error.details;
    const place = places.find(([begin]) => pointer.startsWith(begin));
    if (!place) throw error;
    const moved = place[1] + pointer.slice(place[0].length);
    throw new ToolError(error.code, error.message, { ...error.details, pointer: moved });
  }
}
