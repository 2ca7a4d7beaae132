import type { ToolJobs } from "../sdk/delegation.ts";
import { ToolError } from "../sdk/errors.ts";
import type { ToolProcesses } from "../sdk/processes.ts";
import type { ToolAgent, ToolLog } from "../sdk/tool.ts";
import type { Workspace } from "../sdk/workspace.ts";
import type { DispatchTarget } from "./environment.ts";

/**
 * Whether the version of the tool has ended while an instance of it goes on, in a timer or after a promise that nobody
 * awaits. What it asks for then is told, and is not to be done: it must neither reach anybody nor throw where nobody
 * can catch.
 */
export function isStale({ id, version }: DispatchTarget, what: string): boolean {
  if (version?.ended !== true) return false;
  version.dropped(id, what);
  return true;
}

/** As `work`, but of a version that has ended it never settles: who waits for it goes no further. */
function unlessStale<T>(target: DispatchTarget, what: string, work: () => Promise<T>): Promise<T> {
  // A promise of its own: one for all would remember everybody who waits for it.
  return isStale(target, what) ? never() : work();
}

/** A logger that is silent when its tool has ended. */
export function logOf(target: DispatchTarget, log: ToolLog): ToolLog {
  const at =
    (level: keyof ToolLog): ToolLog["info"] =>
    (message, fields) => {
      if (!isStale(target, `log.${level}`)) log[level](message, fields);
    };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

/** The same files, which are out of reach when the tool has ended. */
export function filesOf(target: DispatchTarget, files: Workspace): Workspace {
  const to = <T>(what: keyof Workspace, work: () => Promise<T>) => unlessStale(target, `workspace.${what}`, work);
  return {
    root: files.root,
    relative: files.relative,
    resolve: (path, use) => to("resolve", () => files.resolve(path, use)),
    readText: (path, options) => to("readText", () => files.readText(path, options)),
    readBytes: (path, options) => to("readBytes", () => files.readBytes(path, options)),
    openRead: (path, options) => to("openRead", () => files.openRead(path, options)),
    write: (path, content, options) => to("write", () => files.write(path, content, options)),
    update: (path, change, options) => to("update", () => files.update(path, change, options)),
    isContent: (path) => to("isContent", () => files.isContent(path)),
    stat: (path) => to("stat", () => files.stat(path)),
    list: (path) => to("list", () => files.list(path)),
    isOutside: (path) => to("isOutside", () => files.isOutside(path)),
    glob: (query) => to("glob", () => files.glob(query)),
    search: (query) => to("search", () => files.search(query)),
  };
}

/** The same processes, which are out of reach when the tool has ended. */
export function processesOf(target: DispatchTarget, processes: ToolProcesses): ToolProcesses {
  const to = <T>(what: keyof ToolProcesses, work: () => Promise<T>) => unlessStale(target, `processes.${what}`, work);
  const atOnce = <T>(what: keyof ToolProcesses, work: () => T): T => {
    if (isStale(target, `processes.${what}`)) throw new ToolError("STOPPED", `${target.id} is not served any more`);
    return work();
  };
  return {
    run: (command, options) => to("run", () => processes.run(command, options)),
    start: (command, options) => to("start", () => processes.start(command, options)),
    list: () => (isStale(target, "processes.list") ? [] : processes.list()),
    read: (id, options) => to("read", () => processes.read(id, options)),
    type: (id, text) => atOnce("type", () => processes.type(id, text)),
    send: (id, message) => atOnce("send", () => processes.send(id, message)),
    stop: (id) => to("stop", () => processes.stop(id)),
  };
}

/** The agent's methods for a tool, which nobody answers when it has ended. */
export function methodsOf(target: DispatchTarget, agent: ToolAgent): Pick<ToolAgent, AgentMethod> {
  const to = <T>(what: AgentMethod, work: () => Promise<T>) => unlessStale(target, `agent.${what}`, work);
  return {
    tools: () => to("tools", () => agent.tools()),
    skills: () => to("skills", () => agent.skills()),
    profiles: () => to("profiles", () => agent.profiles()),
    delegate: (task) => to("delegate", () => agent.delegate(task)),
    jobs: () => (isStale(target, "agent.jobs") ? NO_JOBS : agent.jobs()),
    handleIntervention: (progress) => to("handleIntervention", () => agent.handleIntervention(progress)),
  };
}

type AgentMethod = "tools" | "skills" | "profiles" | "delegate" | "jobs" | "handleIntervention";

const never = <T>(): Promise<T> => new Promise(() => {});
const NO_JOBS: ToolJobs = { start: () => never(), list: () => [], wait: () => never(), cancel: () => never() };
