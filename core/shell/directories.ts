/** Directories that a command may run in, absolute; more than one where it depends on what commands before it did. */
export type Directories = readonly string[];

/** Where a shell may be behind a command: when it succeeded, and when it failed. */
export interface Whereabouts {
  readonly done: Directories;
  readonly failed: Directories;
}

/** A command that stays where it is. */
export function staying(directories: Directories): Whereabouts {
  return { done: directories, failed: directories };
}

/** All of both. */
export function either(...several: readonly Directories[]): Directories {
  const [first = []] = several;
  return several.every((one) => one === first) ? first : [...new Set(several.flat())];
}

/** Behind a command, however it ended. */
export function behind({ done, failed }: Whereabouts): Directories {
  return done === failed ? done : either(done, failed);
}
