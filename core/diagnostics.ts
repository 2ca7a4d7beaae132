import { HostError } from "./sdk/errors.ts";

/** `error`: something does not work. `warning`: it works, but not as its author thinks. `info`: worth knowing. */
export type Severity = "error" | "warning" | "info";

/** Everything that goes wrong in content or in a check has this one shape. */
export interface Diagnostic {
  readonly severity: Severity;
  /** A key of {@link DIAGNOSTIC_CODES}. */
  readonly code: DiagnosticCode;
  /** POSIX; relative to the root, absolute where it lies outside. */
  readonly file?: string;
  /** 1-based, of the author's source. */
  readonly line?: number;
  /** 1-based. */
  readonly column?: number;
  /** What was expected, what was found. */
  readonly message: string;
  /** What to do. */
  readonly hint?: string;
  /** A replacement that mends it, where one can be derived. */
  readonly fix?: { readonly file: string; readonly description: string };
}

/** The closed table of diagnostic codes: usual severity, and what the code means. Codes are stable; texts are not. */
export const DIAGNOSTIC_CODES = {
  // discovery
  ROOT_MISSING: { severity: "error", meaning: "the root directory does not exist or is not a directory" },
  DIRECTORY_UNREADABLE: { severity: "error", meaning: "a directory of content could not be read" },
  NOT_A_DIRECTORY: { severity: "error", meaning: "a file lies where a directory of content should be" },
  NOT_A_FILE: { severity: "warning", meaning: "a directory or a special file lies where a file of content should be" },
  FILE_UNREADABLE: { severity: "error", meaning: "a content file could not be read" },
  COLLISION: { severity: "error", meaning: "two files of one sub-row claim the same id" },
  TOOL_NAME_INVALID: { severity: "error", meaning: "a tool file's name is not a tool id" },
  LINK_REFUSED: { severity: "error", meaning: "a linked plugin directory leads outside the root, home and linkRoots" },
  LINK_SKIPPED: { severity: "warning", meaning: "a link inside content is not followed" },
  PLUGIN_NO_MANIFEST: { severity: "warning", meaning: "a plugin directory holds content but no plugin.yaml" },
  MANIFEST_INVALID: { severity: "error", meaning: "plugin.yaml does not parse or validate; the plugin is disabled" },
  MANIFEST_UNKNOWN_KEY: { severity: "warning", meaning: "plugin.yaml has a key that the host does not know" },
  PLUGIN_NAME_INVALID: { severity: "error", meaning: "the directory name of a bundled plugin does not begin with _" },
  PLUGIN_API_VERSION: {
    severity: "error",
    meaning: "the plugin's apiVersion does not admit this host; it is disabled",
  },
  POLICY_LOOSENED: {
    severity: "error",
    meaning: "plugin.yaml asks for more than its host permits, and is disabled; or a plugin picks a risk profile",
  },
  TOGGLE_CONFLICT: { severity: "error", meaning: "one place holds .toggle-0 and .toggle-1; the plugin is off" },
  SETTINGS_INVALID: { severity: "error", meaning: "a settings file does not parse or validate" },
  SETTINGS_UNKNOWN_KEY: { severity: "warning", meaning: "a settings file has a key that the host does not know" },
  SETTINGS_ENV_CLASH: { severity: "error", meaning: "two plugins claim the same environment variables" },
  PROFILE_INVALID: { severity: "error", meaning: "agent.yaml does not parse or validate" },
  PROFILE_UNKNOWN: { severity: "error", meaning: "no directory defines this profile" },
  PROFILE_DISABLED: { severity: "error", meaning: "the profile is switched off" },
  PROFILE_UNKNOWN_KEY: { severity: "warning", meaning: "agent.yaml has a key that the host does not know" },
  RISK_PROFILE_UNKNOWN: {
    severity: "error",
    meaning: "agent.yaml names a risk profile that the settings do not define",
  },
  PROJECT_UNKNOWN: { severity: "error", meaning: "usr/projects has no such directory" },
  TOOL_UNMET: { severity: "info", meaning: "a tool is not registered because a settings key is not on" },
  FM_INVALID: { severity: "error", meaning: "front matter is not valid" },
  FM_LANGUAGE: { severity: "error", meaning: "front matter names a language other than YAML" },
  FM_UNCLOSED: { severity: "warning", meaning: "text begins with --- but has no closing line; all of it is body" },
  FM_UNKNOWN_KEY: { severity: "warning", meaning: "front matter has a key that the host does not know" },
  ALIAS_TAKEN: { severity: "error", meaning: "an alias is a tool's id or another tool's alias, capitals aside" },
  SKILL_INVALID: { severity: "error", meaning: "a SKILL.md does not validate" },
  RISK_PROFILE_NAME_UNKNOWN: {
    severity: "warning",
    meaning: "a list of a risk profile names a tool that the agent profile does not have",
  },
  UNTRUSTED: {
    severity: "error",
    meaning: "nobody has said that what lies in the root may run, so nothing of it does",
  },
  TRUST_OUTDATED: {
    severity: "error",
    meaning: "settings that were accepted with the root changed; those of before go on",
  },
  TRUST_STORE_INVALID: {
    severity: "error",
    meaning: "the file that says which roots are trusted cannot be read or written",
  },
  POLICY_TEST_INVALID: { severity: "error", meaning: "a table of calls and decisions does not parse or validate" },
  LOCALE_INVALID: { severity: "error", meaning: "what was given as a language is no language tag" },
  LOCALE_SYNTAX: { severity: "error", meaning: "a message of a .ftl file does not parse; it is left out" },
  LOCALE_DUPLICATE: { severity: "error", meaning: "a .ftl file holds a key twice; the first one holds" },
  LOCALE_REFERENCE: {
    severity: "error",
    meaning: "a message of a .ftl file refers to what is not there, or has no text; it is left out",
  },
  LOCALE_COLLISION: { severity: "error", meaning: "two .ftl files of one sub-row claim the same key" },
  // loading
  LOAD_UNREADABLE: { severity: "error", meaning: "a module could not be read" },
  LOAD_SYNTAX: { severity: "error", meaning: "a module does not parse" },
  LOAD_UNRESOLVED: { severity: "error", meaning: "an import could not be resolved" },
  LOAD_NO_EXPORT: { severity: "error", meaning: "a module imports a name that the other module does not export" },
  LOAD_THREW: { severity: "error", meaning: "the top level of a module threw" },
  LOAD_TIMEOUT: { severity: "error", meaning: "the top level of a module did not settle before the deadline" },
  LOAD_NO_DEFAULT: { severity: "error", meaning: "a module has no default export" },
  LOAD_NOT_A_TOOL: { severity: "error", meaning: "the default export is not a class that extends Tool" },
  LOAD_NOT_AN_EXTENSION: { severity: "error", meaning: "the default export is not a class that extends Extension" },
  LOAD_NO_EXECUTE: { severity: "error", meaning: "the class has no execute" },
  LOAD_BAD_STATIC: { severity: "error", meaning: "a static member of a tool is not what the contract asks" },
  LOAD_BAD_SCHEMA: { severity: "error", meaning: "the parameters of a tool have no JSON Schema form" },
  GENERATION_UNKNOWN: { severity: "error", meaning: "no generation of that number is remembered" },
  LAST_GOOD: { severity: "warning", meaning: "the version before serves because the changed file is not usable" },
  LOAD_FALLBACK: { severity: "warning", meaning: "a lower layer serves because the higher file did not load" },
  // the probe of changed modules
  PROBE_TIMEOUT: { severity: "error", meaning: "the top level of a module blocked until the probe's deadline" },
  PROBE_EXITED: { severity: "error", meaning: "the top level of a module ended the process, or crashed it" },
  PROBE_OUT_OF_MEMORY: { severity: "error", meaning: "the top level of a module used more memory than a probe may" },
  PROBE_LATE_ERROR: { severity: "error", meaning: "a module threw just after it was loaded, where nobody could catch" },
  PROBE_LISTENER: {
    severity: "warning",
    meaning: "a module listens to events of the process that are the host's: its errors or its end",
  },
  PROBE_ABANDONED: { severity: "info", meaning: "a probe was given up before it had a verdict" },
  PROBE_UNAVAILABLE: { severity: "warning", meaning: "changed modules cannot be probed; they are loaded all the same" },
  ROLE_MISSING: { severity: "error", meaning: "no tool of the profile has a role that the loop needs" },
  ROLE_TAKEN: { severity: "error", meaning: "two tools of the profile claim the same role" },
  // prompts
  FRAGMENT_WITHOUT_TOOL: {
    severity: "warning",
    meaning: "a fragment describes a tool that is not callable; it is left out",
  },
  TOOL_WITHOUT_FRAGMENT: { severity: "warning", meaning: "a callable tool has no fragment; one was generated" },
  FRAGMENT_NO_WHEN: { severity: "warning", meaning: "a fragment does not say when to use its tool" },
  FRAGMENT_NO_EXAMPLE: { severity: "warning", meaning: "a fragment shows no example call" },
  FRAGMENT_NO_RETURNS: { severity: "warning", meaning: "a fragment does not say what its tool returns" },
  FRAGMENT_EXAMPLE_INVALID: { severity: "error", meaning: "an example call does not fit the schema of its tool" },
  FRAGMENT_PARAMETER_UNKNOWN: {
    severity: "error",
    meaning: "a fragment names an argument that its tool does not have",
  },
  FRAGMENT_PARAMETER_MISSING: { severity: "warning", meaning: "a fragment does not name an argument of its tool" },
  FRAGMENT_RETURNS_UNKNOWN: {
    severity: "warning",
    meaning: "a fragment says that something comes back that is not in the tool's output",
  },
  FRAGMENT_OVER_BUDGET: { severity: "warning", meaning: "a fragment has more tokens than its budget" },
  DESCRIPTION_TOO_LONG: { severity: "warning", meaning: "a description is longer than the limit" },
  PROMPT_OVER_BUDGET: { severity: "warning", meaning: "the system prompt of a profile has more tokens than the limit" },
  PROMPT_SECRET: { severity: "error", meaning: "a text that a model reads holds the value of a secret" },
  PROMPT_KEY: { severity: "error", meaning: "a text that a model reads holds something in the form of a key or token" },
  PROMPT_PRIVATE_DATA: {
    severity: "warning",
    meaning: "a text that a model reads holds an email address or a person's home directory",
  },
  PROMPT_HIDDEN_TEXT: {
    severity: "error",
    meaning: "a text that a model reads holds characters that people do not see",
  },
  PROMPT_OVERRIDE: { severity: "error", meaning: "a text that a model reads tells it to ignore other instructions" },
  PROMPT_SNAPSHOT_CHANGED: { severity: "error", meaning: "a system prompt is not what its snapshot says" },
  PROMPT_SNAPSHOT_MISSING: { severity: "error", meaning: "a bundled profile has no snapshot of its system prompt" },
  PROMPT_SNAPSHOT_ORPHAN: { severity: "error", meaning: "a snapshot of a system prompt belongs to no profile" },
  TEMPLATE_INVALID: { severity: "error", meaning: "a template does not parse" },
  TEMPLATE_FAILED: { severity: "error", meaning: "a template could not be rendered" },
  INCLUDE_CYCLE: { severity: "error", meaning: "includes form a circle" },
  INCLUDE_MISSING: { severity: "error", meaning: "an included file does not exist" },
  INCLUDE_OUTSIDE: { severity: "error", meaning: "an include leaves the prompts directories" },
  PROMPT_MISSING: { severity: "error", meaning: "a prompt file that is asked for exists in no layer" },
  PROMPT_EMPTY: { severity: "error", meaning: "no extension gives the system prompt a section" },
  FILE_TOO_LARGE: { severity: "error", meaning: "a content file is over the size limit" },
  // extensions and life cycle
  EXTENSION_POINT_UNKNOWN: { severity: "warning", meaning: "a directory below extensions/ is not the name of a point" },
  EXTENSION_FAILED: { severity: "error", meaning: "an extension threw or ran over its deadline" },
  TOOL_HOOK_FAILED: { severity: "warning", meaning: "afterExecution or a disposer of a tool threw" },
  STALE_CALL: {
    severity: "warning",
    meaning: "a tool went on after its version was retired, and what it then asked of the host was dropped",
  },
  STRAY_ERROR: {
    severity: "error",
    meaning: "content threw outside of a call: in a timer, or in a promise that nobody awaits",
  },
  LISTENER_REFUSED: {
    severity: "warning",
    meaning: "content listened to the errors of the process, which are the host's; the listener was taken out",
  },
  LISTENER_FAILED: { severity: "warning", meaning: "a listener of the host's events threw" },
  REPEATED: { severity: "warning", meaning: "a reply of the model could not be used, like the same one before it" },
  MISFORMAT: { severity: "warning", meaning: "a reply of the model was not a valid request" },
  EMPTY: { severity: "warning", meaning: "a reply of the model was empty" },
  REASONING_ONLY: { severity: "warning", meaning: "a reply of the model held reasoning and nothing else" },
  REPAIRED: { severity: "warning", meaning: "a request of the model was mended before it was run" },
  LOOP: { severity: "warning", meaning: "calls of the model led nowhere, again and again" },
  RETRIED: { severity: "warning", meaning: "a provider had passing trouble, and the model was asked again" },
  // models
  MODEL_UNKNOWN: { severity: "error", meaning: "a model id is not provider/model, or its provider is unknown" },
  MODEL_KEY_MISSING: { severity: "error", meaning: "the environment variable with the provider's key is not set" },
  MODEL_MISCONFIGURED: { severity: "error", meaning: "a provider's base URL, key or protocol is not usable" },
  MODEL_UNREACHABLE: { severity: "error", meaning: "the model could not be reached" },
  MODEL_REFUSED: { severity: "error", meaning: "the provider answered with an error" },
  SCHEMA_REFUSED: {
    severity: "warning",
    meaning: "a provider would refuse every request with the parameters of a tool, so it is not given that tool",
  },
  SCHEMA_REWRITTEN: {
    severity: "info",
    meaning:
      "the parameters of a tool are rewritten so that a provider takes them; calls are checked against the whole",
  },
  TOOL_PUBLISHED_NAME: { severity: "info", meaning: "providers are given a tool under another name than its id" },
  CASSETTE_UNREADABLE: { severity: "error", meaning: "a cassette to replay is missing or is not what a cassette is" },
  CASSETTE_UNWRITABLE: { severity: "error", meaning: "the traffic of a model cannot be recorded to this file" },
  CASSETTE_MISMATCH: {
    severity: "error",
    meaning: "a model was asked something else than while the cassette was recorded",
  },
  // limits
  ESTOP_ON: { severity: "warning", meaning: "the e-stop of the root is on: nothing is run, and no model is asked" },
  ESTOP_UNWRITABLE: { severity: "error", meaning: "the e-stop could not be turned on or off" },
  COST_LIMIT: { severity: "error", meaning: "a model may not be asked because a limit of costs is reached" },
  COST_WARNING: { severity: "warning", meaning: "the costs of models come near their limit" },
  PRICE_UNKNOWN: { severity: "warning", meaning: "what a model costs is not known" },
  ACTIONS_UNSOUND: { severity: "warning", meaning: "calls of other processes do not count against limits of calls" },
  SPENDING_UNSOUND: {
    severity: "warning",
    meaning: "what was spent on models could not be written down, or not be read in full",
  },
  // secrets
  SECRETS_UNREADABLE: { severity: "error", meaning: "a secrets file could not be read" },
  SECRETS_INVALID: { severity: "error", meaning: "a line of a secrets file is neither NAME=value nor a comment" },
  SECRET_TOO_SHORT: { severity: "warning", meaning: "a secret is too short to be masked; it is not taken" },
  SECRET_REPEATED: { severity: "warning", meaning: "a secrets file holds a name twice; the last value holds" },
  // receipts
  LEDGER_UNWRITABLE: { severity: "error", meaning: "a call could not be entered in the ledger, so it has no receipt" },
  LEDGER_REPAIRED: { severity: "warning", meaning: "the last line of the ledger was cut short and was taken out" },
  LEDGER_BROKEN: {
    severity: "error",
    meaning: "lines of the ledger that were signed are gone, or some are not its own",
  },
  LEDGER_KEY_LOST: { severity: "warning", meaning: "the key of the ledger is gone, and a new one signs from here on" },
  LEDGER_UNREADABLE: {
    severity: "error",
    meaning: "what should be a ledger or an export of one cannot be read as such",
  },
  RECEIPT_UNKNOWN: { severity: "error", meaning: "no call that succeeded has this receipt" },
  RECEIPT_MISMATCH: { severity: "error", meaning: "a receipt is that of another call or another tool" },
  RECEIPT_ALTERED: { severity: "error", meaning: "the text that a receipt stands for is not the one that was given" },
  // approvals
  APPROVALS_INVALID: {
    severity: "error",
    meaning: "the file of standing approvals is damaged, or others can write it; what it may hold approves nothing",
  },
  APPROVALS_UNWRITABLE: { severity: "error", meaning: "a standing approval, or its end, cannot be written down" },
  APPROVAL_UNKNOWN: { severity: "error", meaning: "no standing approval has this id" },
  // documents
  DOX_MISSING: { severity: "error", meaning: "a tool module has no companion document" },
  DOX_ORPHAN: { severity: "error", meaning: "a companion document has no tool module" },
  DOX_MISNAMED: { severity: "error", meaning: "a companion document is not named <file>.dox.md" },
  DOX_NESTED: {
    severity: "error",
    meaning: "a document or a module lies in a folder of tools, where neither is found",
  },
  DOX_FOREIGN: { severity: "error", meaning: "a document among the core tools is about a plugin's tool" },
  DOX_SECTION_MISSING: { severity: "error", meaning: "a required section is missing" },
  DOX_SECTION_EMPTY: { severity: "error", meaning: "a required section is empty" },
  DOX_SECTION_ORDER: { severity: "error", meaning: "required sections are out of order" },
  DOX_SECTION_DUPLICATE: { severity: "error", meaning: "a section appears twice" },
  DOX_STUB: { severity: "error", meaning: "a document was begun by the check, and nobody has written it" },
  DOX_UNREADABLE: { severity: "error", meaning: "a file that the check of documents looks at could not be read" },
  DOX_ARGUMENT_TABLE: {
    severity: "error",
    meaning: "a document has no table of the arguments, or not all its columns",
  },
  DOX_ARGUMENT_MISSING: { severity: "error", meaning: "an argument of the schema has no row in the document" },
  DOX_ARGUMENT_UNKNOWN: { severity: "error", meaning: "a row of the document is about no argument of the schema" },
  DOX_ARGUMENT_TYPE: { severity: "error", meaning: "the document gives an argument another type than the schema" },
  DOX_ARGUMENT_REQUIRED: {
    severity: "error",
    meaning: "document and schema differ in whether an argument is required",
  },
  DOX_ARGUMENT_DEFAULT: {
    severity: "error",
    meaning: "the document gives an argument another default than the schema",
  },
  DOX_CODE_UNDECLARED: { severity: "error", meaning: "the code gives an error code that the document does not name" },
  DOX_CODE_UNKNOWN: { severity: "error", meaning: "the document names an error code that the code does not give" },
  DOX_BREAK_LOOP: { severity: "error", meaning: "document and code differ in breakLoop, or the document says nothing" },
  DOX_RISK: { severity: "error", meaning: "document and code differ in the risk, or the document says none" },
  DOX_EXAMPLE: { severity: "error", meaning: "a call that a document shows does not fit the schema of its tool" },
  DOX_PATH_MISSING: {
    severity: "error",
    meaning: "a document names a helper, a fragment or a test that does not exist",
  },
  DOX_TEST_UNRELATED: { severity: "error", meaning: "a test that a document names does not run its tool" },
  DOX_LINK: { severity: "error", meaning: "a link of a document leads to no file of the root" },
  DOX_ANCHOR: { severity: "error", meaning: "a link of a document leads to no heading" },
  DOX_TOOL_UNNAMED: { severity: "error", meaning: "no document of a plugin names a tool of it" },
  AGENTS_MISSING: {
    severity: "error",
    meaning: "a folder of a documented tree, or a bundled plugin, has no AGENTS.md",
  },
  AGENTS_CHILD_UNLISTED: { severity: "error", meaning: "a page does not list the page of a folder below it" },
  AGENTS_CHILD_UNKNOWN: { severity: "error", meaning: "a page lists a page that is not there, or not below it" },
  AGENTS_OWNED_MISSING: { severity: "error", meaning: "a page says that its folder holds something that is not there" },
  TOOL_UNTESTED: { severity: "error", meaning: "no test runs a tool" },
  // the check itself
  CONTRACT_CHANGED_ALONE: {
    severity: "error",
    meaning: "the contract of a tool changed, and its document, fragment or tests did not",
  },
  CONTRACT_BEFORE_UNKNOWN: {
    severity: "info",
    meaning: "a tool did not load as it was, so that nobody knows whether its contract changed",
  },
  BASELINE_INVALID: { severity: "error", meaning: "a baseline of the check is not what a baseline is" },
  BASELINE_STALE: { severity: "error", meaning: "a baseline knows a finding that is not there any more" },
  FIX_REFUSED: { severity: "error", meaning: "the check could not write what it would mend" },
  VITEST_MISSING: { severity: "error", meaning: "tests are to be run and Vitest is not installed" },
  // locales
  LOCALE_MISSING: { severity: "error", meaning: "a tool or parameter has no description in a locale that has others" },
  LOCALE_UNUSED: { severity: "warning", meaning: "a key of a locale describes no tool and no parameter" },
  LOCALE_AMBIGUOUS: { severity: "error", meaning: "two different things come to the same key" },
  LOCALE_PLACEHOLDERS: { severity: "error", meaning: "a text has other placeholders than the English one" },
  LOCALE_SCRIPT: { severity: "error", meaning: "a text holds letters of a script that its language does not use" },
  LOCALE_COVERAGE: { severity: "info", meaning: "a locale does not describe all of a plugin, or not in its language" },
  LOCALE_DIRECTORY: { severity: "warning", meaning: "the directory of a locale is not named by a language tag" },
  README_TRANSLATION: { severity: "error", meaning: "a translation of the README is out of step with it" },
  // the caller of the library or of the command line
  AGENT_BUSY: { severity: "error", meaning: "an agent was asked for a turn while another one of it runs" },
  HOST_CLOSED: { severity: "error", meaning: "the host was closed before it was asked" },
  USAGE: { severity: "error", meaning: "a command or an option is not what it should be" },
  // sessions
  SESSION_UNKNOWN: { severity: "error", meaning: "no session has this id, or there is none at all" },
  SESSION_BUSY: { severity: "error", meaning: "another process, or another agent of this one, has the session" },
  SESSION_UNREADABLE: { severity: "error", meaning: "a transcript holds nothing that this version can read" },
  SESSION_PROFILE: { severity: "error", meaning: "a session was asked for with another profile than its own" },
  SESSION_REPAIRED: { severity: "warning", meaning: "the last line of a transcript was cut short and was removed" },
  SESSION_DAMAGED: { severity: "warning", meaning: "a line of a transcript could not be read and was passed over" },
  SESSION_UNWRITABLE: {
    severity: "error",
    meaning: "a transcript cannot be written; the agent goes on, but what follows cannot be resumed",
  },
  COMPACTION_FAILED: {
    severity: "warning",
    meaning: "the model could not summarise old turns; they were shortened by rule",
  },
  SPILL_FAILED: {
    severity: "warning",
    meaning: "a large output could not be kept in a file; the model was given its ends",
  },
  // watching
  WATCH_POLLING: {
    severity: "warning",
    meaning: "no events of files can be had; changes are found by looking at intervals, which is slower",
  },
  WATCH_LIMIT: {
    severity: "warning",
    meaning: "more directories are in use than may be watched; changes in the others are found later",
  },
  WATCH_FAILED: {
    severity: "warning",
    meaning: "a directory could not be watched or looked at; changes in it are found later, or not",
  },
  AUDIT_UNWRITABLE: {
    severity: "error",
    meaning: "what was decided of calls cannot be written to the audit log; calls go on",
  },
  AUDIT_UNREADABLE: { severity: "error", meaning: "the audit log cannot be read" },
  LOG_UNWRITABLE: { severity: "warning", meaning: "the log file cannot be written; everything works, without a log" },
  CACHE_UNWRITABLE: {
    severity: "warning",
    meaning: "the cache directory cannot be written; everything works, more slowly",
  },
} as const satisfies Record<string, { readonly severity: Severity; readonly meaning: string }>;

/** A code of {@link DIAGNOSTIC_CODES}. */
export type DiagnosticCode = keyof typeof DIAGNOSTIC_CODES;

/** What {@link diagnostic} takes besides the code. `severity` overrides the code's usual one. */
export type DiagnosticFields = Omit<Diagnostic, "code" | "severity"> & { readonly severity?: Severity };

/** Builds a diagnostic with the usual severity of its code. */
export function diagnostic(code: DiagnosticCode, fields: DiagnosticFields): Diagnostic {
  return { severity: DIAGNOSTIC_CODES[code].severity, code, ...fields };
}

/** Each finding once, however often it was found, in the order of file, line and code. */
export function uniqueDiagnostics(list: Iterable<Diagnostic>): readonly Diagnostic[] {
  const seen = new Map<string, Diagnostic>();
  for (const item of list) {
    const key = `${item.file ?? ""}\0${item.line ?? 0}\0${item.column ?? 0}\0${item.code}\0${item.message}`;
    if (!seen.has(key)) seen.set(key, item);
  }
  return [...seen.values()].sort(compareDiagnostics);
}

function compareDiagnostics(a: Diagnostic, b: Diagnostic): number {
  return (
    compareText(a.file ?? "", b.file ?? "") ||
    (a.line ?? 0) - (b.line ?? 0) ||
    (a.column ?? 0) - (b.column ?? 0) ||
    compareText(a.code, b.code) ||
    compareText(a.message, b.message)
  );
}

/** Code-unit order: the same on every machine, whatever its locale. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** One line for people: `file:line:column severity CODE message. hint`. The code may be that of a {@link HostError}. */
export function formatDiagnostic(item: Omit<Diagnostic, "code"> & { readonly code: string }): string {
  const place = placeOf(item);
  return `${place === "" ? "" : `${place} `}${item.severity} ${item.code} ${wordsOf(item)}`;
}

/** A {@link HostError} made of a diagnostic, for what stops a call of the library: `CODE: file:line:column: message. hint`. */
export function hostError(item: Diagnostic, kind: "usage" | "failure" = "failure"): HostError {
  const place = placeOf(item);
  return new HostError(item.code, `${item.code}: ${place === "" ? "" : `${place}: `}${wordsOf(item)}`, { kind });
}

function placeOf({ file, line, column }: Pick<Diagnostic, "file" | "line" | "column">): string {
  return [file, ...(file === undefined || line === undefined ? [] : [line, column])]
    .filter((part) => part !== undefined)
    .join(":");
}

function wordsOf({ message, hint }: Pick<Diagnostic, "message" | "hint">): string {
  if (hint === undefined) return message;
  return /[.!?…:;]$/u.test(message) ? `${message} ${hint}` : `${message}. ${hint}`;
}
