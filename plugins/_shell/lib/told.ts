import type { ProcessOutput, ProcessSandbox } from "toolroom";

/** How something ended, and what it wrote. */
export interface Told {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly stdout: ProcessOutput;
  readonly stderr: ProcessOutput;
  readonly sandbox: ProcessSandbox;
}

const COMMAND_NOT_FOUND = 127;
const NO_NETWORK =
  /could not resolve|name resolution|network is unreachable|ENETUNREACH|EAI_AGAIN|getaddrinfo|ENOTFOUND|name or service not known/iu;

/** The output as a model reads it: what went to stdout, then what went to stderr, then how it ended where that is to be known. */
export function textOf({ exitCode, signal, stdout, stderr, sandbox }: Told): string {
  const ending =
    signal !== null ? `[ended by ${signal}]` : exitCode === null || exitCode === 0 ? "" : `[exit code ${exitCode}]`;
  const parts = [
    stdout.text,
    stderr.text === "" ? "" : `${stdout.text === "" ? "" : "[stderr]\n"}${stderr.text}`,
    stdout.text === "" && stderr.text === "" ? "[no output]" : "",
    ending,
    hintOf({ exitCode, stderr, sandbox }),
  ];
  return parts
    .filter((part) => part !== "")
    .map((part) => part.replace(/\n$/u, ""))
    .join("\n");
}

/** The same for programs. */
export function dataOf({ exitCode, signal, stdout, stderr, sandbox }: Told) {
  return {
    exitCode,
    signal,
    stdout: stdout.text,
    stderr: stderr.text,
    ...(stdout.file === undefined ? {} : { stdoutFile: stdout.file }),
    ...(stderr.file === undefined ? {} : { stderrFile: stderr.file }),
    sandbox: { ...sandbox },
  };
}

/** What is not there because of the sandbox looks like a fault of the machine. */
function hintOf({ exitCode, stderr, sandbox }: Pick<Told, "exitCode" | "stderr" | "sandbox">): string {
  if (sandbox.kind === "none" || exitCode === 0 || exitCode === null) return "";
  if (exitCode === COMMAND_NOT_FOUND) {
    return "[The sandbox shows no programs of the home directory; a person can name their directory in allowed_roots.]";
  }
  if (sandbox.network || !NO_NETWORK.test(stderr.text)) return "";
  return "[The sandbox has no network; a person can open it with sandbox_network.]";
}
