import { ToolError } from "toolroom";

/**
 * What `work` gives. An error that points into what it was given points to the argument of the tool instead.
 *
 * @param place the pointer to an argument, for one into what `work` was given
 */
export async function pointed<T>(work: Promise<T>, place: (pointer: string) => string): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof ToolError) || error.details.pointer === undefined) throw error;
    const { code, message, details } = error;
    throw new ToolError(code, message, { ...details, pointer: place(error.details.pointer) });
  }
}
