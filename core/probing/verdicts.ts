import { type Diagnostic, diagnostic } from "../diagnostics.ts";

/** Where something is in the author's source; the file as it is shown. */
type Place = Pick<Diagnostic, "line" | "column"> & { readonly file: string };

const LATER = "Work belongs into execute, where the host can stop it.";

/** It threw where its import could not fail any more. */
export function lateError(place: Place, message: string): Diagnostic {
  return diagnostic("PROBE_LATE_ERROR", {
    ...place,
    message: `threw after its top level had begun, where nobody could catch it: ${message}`,
    hint: "Await every promise, and catch errors in timers and listeners.",
  });
}

/** It listens to what belongs to the host. */
export function listens(place: Place, event: string): Diagnostic {
  return diagnostic("PROBE_LISTENER", {
    ...place,
    message: `listens to ${event} of the process, which is the host's`,
    hint: "Catch errors where they arise, and clean up with onDispose.",
  });
}

/** It called something that ends the process. */
export function endsProcess(place: Place, call: string): Diagnostic {
  const message = `expected a top level that only defines things, found ${call}, which would end the host`;
  return diagnostic("PROBE_EXITED", { ...place, message, hint: "Throw an error instead." });
}

/** Its process is gone, and nobody has said why. */
export function crashed(
  file: string,
  end: { readonly code: number | null; readonly signal: string | null },
): Diagnostic {
  const { code, signal } = end;
  const how = signal === null ? `ended with code ${code}` : `was ended by ${signal}`;
  return diagnostic("PROBE_EXITED", {
    file,
    message: `the process in which its top level ran ${how}`,
    hint: LATER,
  });
}

/** It blocked, or did not end, until the deadline. */
export function blocks(file: string, timeoutMs: number): Diagnostic {
  return diagnostic("PROBE_TIMEOUT", {
    file,
    message: `expected a top level that ends within ${timeoutMs} ms, found one that still runs: an endless loop, or work that blocks`,
    hint: LATER,
  });
}

/** It filled the memory that a probe may take. */
export function fillsMemory(file: string, memoryMb: number): Diagnostic {
  return diagnostic("PROBE_OUT_OF_MEMORY", {
    file,
    message: `expected a top level that takes no more than ${memoryMb} MB, found one that takes all of it`,
    hint: `${LATER} Large data is better read when it is asked for.`,
  });
}

/** There is no verdict. */
export function abandoned(file: string): Diagnostic {
  const message = "was not probed to its end: the probe was given up";
  return diagnostic("PROBE_ABANDONED", { file, message, hint: "Probe it again, or save it again." });
}

/** @param why what kept the process from starting */
export function unavailable(why: string): Diagnostic {
  return diagnostic("PROBE_UNAVAILABLE", {
    message: `expected a process in which changed modules are tried before they are served, found that ${why}`,
    hint: "Modules are loaded untried. Free memory or processes, or reinstall toolroom; or switch the probe off.",
  });
}
