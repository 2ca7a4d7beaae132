import type { Host } from "../host.ts";
import type { Model } from "../model/model.ts";
import type { CallErrorCode } from "../sdk/errors.ts";
import type { JsonObject, ToolResult, ToolStatus } from "../sdk/result.ts";

/** Text files by their path, relative to the workspace. */
export type WorkspaceFiles = Readonly<Record<string, string>>;

/** What `testTool` takes besides the module. Every field may be left out. */
export interface TestToolOptions {
  /** The author's own cases, each run in a fresh workspace. */
  readonly cases?: readonly ToolCase[];
  /**
   * Arguments that the tool accepts and does its work with; the contracts vary them. Default: the first of `examples` in
   * the tool's fragment, else what the schema asks for.
   */
  readonly args?: JsonObject;
  /**
   * Files that `args` and the cases need. Where `args` name a path that is not among them, a small text file is put
   * there, else a directory, else nothing: whatever the tool can work with.
   */
  readonly files?: WorkspaceFiles;
  /**
   * Names of arguments that are paths of the workspace. Default: strings, and lists of strings, that are named `path`,
   * `file`, `cwd`, `directory`, … or end so (`file_path`, `output_dir`), or whose schema says `format: "path"`.
   */
  readonly paths?: readonly string[];
  /**
   * A call that takes long (a second is enough): it is aborted, and given a short deadline. Default: `args`, where the
   * tool may have ended before that.
   */
  readonly slow?: { readonly args: JsonObject };
  /** Runs once, before any call of the tool: for what it needs in the host besides files. */
  setup?(host: Host): void | Promise<void>;
  /** The settings of the host, as `usr/settings.yaml` holds them. */
  readonly settings?: JsonObject;
  /** The settings of the tool's plugin, as its `config.yaml` holds them. */
  readonly config?: JsonObject;
  /** Secrets by name, as `usr/secrets.env` holds them; the values must be made up. One more is always there. */
  readonly secrets?: Readonly<Record<string, string>>;
  /** Who answers, where the tool asks an agent. Default: the offline model. */
  readonly model?: Model;
}

/** One case of an author: a call, and what has to come of it. */
export interface ToolCase {
  readonly name: string;
  /** Default `{}`. */
  readonly args?: JsonObject;
  /** As in `name:method`. */
  readonly method?: string;
  /** Over the files of {@link TestToolOptions}. */
  readonly files?: WorkspaceFiles;
  /** Runs before the call, when the files are there. */
  setup?(context: CaseContext): void | Promise<void>;
  /** Stops the call. */
  readonly signal?: AbortSignal;
  /** Default: status `success`. */
  readonly expect?: Expectation;
  /** Looks at the rest; it throws, or fails an assertion of Vitest, where something is wrong. */
  check?(result: ToolResult, context: CaseContext): void | Promise<void>;
}

/** What has to be true of a result. What is left out is not looked at. */
export interface Expectation {
  readonly status?: ToolStatus;
  /** Of an error; the status is `error` then. */
  readonly code?: CallErrorCode;
  /** Of an error: the argument at fault, as a JSON pointer. */
  readonly pointer?: string;
  /** The whole message, or a pattern that is found in it; of an `untrusted` tool its own words, without the frame. */
  readonly message?: string | RegExp;
  /** Is contained in `data`: objects may hold more keys, lists and all other values are the same. */
  readonly data?: JsonObject;
  /** Is contained in `additional`, likewise. */
  readonly additional?: JsonObject;
  readonly breakLoop?: boolean;
}

/** Where a case runs. */
export interface CaseContext {
  /** Absolute path of the workspace, empty but for the files. */
  readonly workspace: string;
  /** The host that the call goes through. */
  readonly host: Host;
  /** Another call of the same tool. */
  call(args: JsonObject): Promise<ToolResult>;
  /** The progress texts of the calls of this case, in their order. */
  progress(): readonly string[];
}
