import { join } from "node:path";
import type { RiskProfileValues, SandboxWish } from "../discovery/risk-profile-keys.ts";
import type { CallRef } from "../dispatch/environment.ts";
import { type FileRules, workspaceRules } from "../governance/file-rules.ts";
import type { HostPlaces } from "../governance/host-state.ts";
import type { ProcessGuard } from "../governance/process-guard.ts";
import { type RiskProfile, settingOf } from "../governance/risk-profile.ts";
import type { Policy } from "../governance/ruling.ts";
import type { Secrets } from "../governance/secrets.ts";
import type { AgentProcesses } from "../processes/agent-processes.ts";
import { pathOutside } from "../processes/environment.ts";
import { createProcesses, type EffectiveSandbox, type Processes } from "../processes/processes.ts";
import { createSandboxes } from "../processes/sandboxes.ts";
import type { ProcessTerms } from "../processes/terms.ts";
import type { ToolProcesses } from "../sdk/processes.ts";
import type { Workspace } from "../sdk/workspace.ts";
import type { FileAccess } from "./file-access.ts";
import { isSecretName } from "./secret-values.ts";
import type { CallSpills } from "./sessions.ts";

/** What {@link openHostProcesses} takes. */
export interface HostProcessesOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** A real path. */
  readonly workspace: string;
  /** The directory of the bundled content, of which a sandbox shows nothing. */
  readonly home: string;
  readonly places: HostPlaces;
  readonly secrets: Pick<Secrets, "masker" | "names">;
}

/** The processes of a host. */
export function openHostProcesses({ env, workspace, home, places, secrets }: HostProcessesOptions): Processes {
  const PATH = pathOutside(env.PATH, workspace);
  return createProcesses({
    env: { ...env, PATH },
    places,
    isSecret: (name) => isSecretName(name) || secrets.names().some((secret) => secret.name === name),
    sandboxes: createSandboxes({ path: PATH, canary: join(home, "package.json") }),
    masker: () => secrets.masker,
  });
}

/** What the processes of a call are bound to. */
export interface ProcessAccessOptions {
  readonly processes: AgentProcesses;
  readonly policy: Policy;
  readonly fileAccess: FileAccess;
  readonly spills: Pick<CallSpills, "open">;
  readonly guard: Pick<ProcessGuard, "leave"> | undefined;
}

/** What a call is given to run programs with, by the policy that holds for it. */
export function processesFor(
  call: CallRef & { readonly workspace: Workspace },
  options: ProcessAccessOptions,
): ToolProcesses {
  const { processes, policy, fileAccess, spills, guard } = options;
  const served = processes.serve({
    ...call,
    terms: () => processTerms(policy, fileAccess(policy).rules ?? workspaceRules(call.workspace.root)),
    overflow: (name) => spills.open(name),
  });
  return guard ? outsideOf(guard, served) : served;
}

/** The strictest of all risk profiles. */
function processTerms(policy: Policy, rules: FileRules): ProcessTerms {
  const { sandbox, sandbox_network: network, env_passthrough } = policy.values as unknown as RiskProfileValues;
  return {
    rules,
    sandbox,
    sandboxSetting: settingOf(whoSays(policy, sandbox), "sandbox"),
    network,
    passthrough: env_passthrough.map(String),
  };
}

/** What keeps in the programs of an agent. */
export async function sandboxOf(processes: Pick<Processes, "sandboxFor">, policy: Policy): Promise<EffectiveSandbox> {
  return await processes.sandboxFor(processTerms(policy, NO_RULES));
}

/** Which files there are says nothing of it. */
const NO_RULES = workspaceRules("/");

function whoSays({ profiles }: Policy, wish: SandboxWish): RiskProfile {
  return (profiles.find(({ values }) => values.sandbox === wish) ?? profiles[0]) as RiskProfile;
}

/** A process is not what the tool prints that runs it, nor are the host's timers around it the tool's. */
function outsideOf({ leave }: Pick<ProcessGuard, "leave">, served: ToolProcesses): ToolProcesses {
  return {
    run: (command, options) => leave(() => served.run(command, options)),
    start: (command, options) => leave(() => served.start(command, options)),
    list: served.list,
    read: (id, options) => leave(() => served.read(id, options)),
    type: (id, text) => leave(() => served.type(id, text)),
    send: (id, message) => leave(() => served.send(id, message)),
    stop: (id) => leave(() => served.stop(id)),
  };
}
