import { dirname, join } from "node:path";
import { type Diagnostic, uniqueDiagnostics } from "./diagnostics.ts";
import { openDiscovery } from "./discovery/discovery.ts";
import { requireLocale } from "./discovery/locale-tag.ts";
import { createDispatcher } from "./dispatch/dispatch.ts";
import { createActionWindow } from "./governance/action-window.ts";
import { createEstop } from "./governance/estop.ts";
import { createLog } from "./governance/log.ts";
import { acquireProcessGuard } from "./governance/process-guard.ts";
import { createSpending } from "./governance/spending.ts";
import { createWorkspace } from "./governance/workspace.ts";
import { type AgentParts, createAgent, createLoneTeam } from "./host/agent.ts";
import { modelId } from "./host/agent-model.ts";
import { createApprovals } from "./host/approvals.ts";
import { createHostAudit } from "./host/audit.ts";
import { createAuthorities } from "./host/authority.ts";
import { createCallLimits, reportUncounted } from "./host/call-limits.ts";
import { createCaller, type ProfileLease } from "./host/calls.ts";
import { type CheckerParts, createChecker, createLocaleKeeper } from "./host/checker.ts";
import { createContentRunner } from "./host/content.ts";
import { type Doctor, examineHost } from "./host/doctor.ts";
import { createEstopSwitch, estopDiagnostics } from "./host/estop-switch.ts";
import { createEvents } from "./host/events.ts";
import { explainEntry } from "./host/explaining.ts";
import { createFileAccess } from "./host/file-access.ts";
import { createGate } from "./host/gate.ts";
import { createGeneration } from "./host/generation.ts";
import { createGenerations, type GenerationsOptions } from "./host/generations.ts";
import { hostDirectories } from "./host/host-directories.ts";
import type { Host } from "./host/host-interface.ts";
import { startJobs } from "./host/job-loop.ts";
import { createLeftovers } from "./host/leftovers.ts";
import { listItems, listTools } from "./host/listing.ts";
import { createListingKeeper } from "./host/listing-keeper.ts";
import { createLookout } from "./host/lookout.ts";
import { createMetering } from "./host/metering.ts";
import { createOffers, definitionsFor, providerFor } from "./host/offers.ts";
import type { HostOptions, ProfileOption } from "./host/options.ts";
import { createPolicyQuestions, maskedPolicy } from "./host/policy-questions.ts";
import { openHostProcesses, sandboxOf } from "./host/process-access.ts";
import { callableTools } from "./host/prompting.ts";
import { createHostReceipts } from "./host/receipts.ts";
import { createReloader } from "./host/reloading.ts";
import { createReports } from "./host/reports.ts";
import { createRevived } from "./host/revived.ts";
import { maskedFailures, maskedHistory, openHostSecrets, withSecretNames } from "./host/secrets.ts";
import { createHostSessions } from "./host/sessions.ts";
import { logSettings, numberSetting, textSetting } from "./host/setting-values.ts";
import { type ShownPrompt, showPrompt } from "./host/shown-prompt.ts";
import { hostStatus, loadAll, onceForTheCache } from "./host/status.ts";
import { type SystemPromptOwner, systemPromptOf } from "./host/system-prompt.ts";
import { startWatching, type WatchingOptions } from "./host/watching.ts";
import { unwritableCache } from "./loading/atomic-file.ts";
import { openContractCache } from "./loading/contract-cache.ts";
import { openModuleLoader } from "./loading/module-loader.ts";
import type { Registry } from "./loading/registry.ts";
import { outsideDirectory, probeProgram, stateDirectories, trustFile } from "./locations.ts";
import { createCassettes } from "./model/cassettes.ts";
import { protocolFor } from "./model/endpoints.ts";
import { OFFLINE } from "./model/model.ts";
import { openProbe } from "./probing/probe.ts";
import { createPrompts } from "./prompt/assemble.ts";

export type { Agent } from "./host/agent.ts";
export type { Host } from "./host/host-interface.ts";

/** Milliseconds since 1970, by a clock that nobody sets back. */
const steadyTime = (): number => performance.timeOrigin + performance.now();

/** What a changed module blocks for longer than this is not served; a shorter deadline of loads holds for it, too. */
const PROBE_TIMEOUT_MS = 5_000;

/**
 * Starts a host: finds its directories, reads what lies there, and is ready. No content module is run until
 * something needs it.
 *
 * @throws HostError ROOT_MISSING, PROFILE_UNKNOWN, PROFILE_DISABLED, PROJECT_UNKNOWN, LOCALE_INVALID (kind `usage`)
 */
export async function createHost(options: HostOptions = {}): Promise<Host> {
  return await openHost(options);
}

/** What no caller of the library chooses. */
export interface HostInternals {
  /** See {@link WatchingOptions}. */
  readonly watcher?: WatchingOptions["watcher"];
  /** See {@link GenerationsOptions}. */
  readonly drainMs?: GenerationsOptions["drainMs"];
  /** Whether prompts name the secrets. Default true. */
  readonly namesSecrets?: boolean;
  /** The clock of limits, and of what may be kept, in milliseconds since 1970. */
  readonly now?: () => number;
  /** Whether the listing of the host's own profile is kept for the next process. Default false. */
  readonly keepsListing?: boolean;
}

/** {@link createHost} with its insides to choose, for tests of systems and times that are not at hand. */
export async function openHost(
  options: HostOptions,
  { watcher, drainMs, namesSecrets = true, now, keepsListing = false }: HostInternals = {},
): Promise<Host> {
  const { env = process.env, cwd = process.cwd(), face = "library" } = options;

  // Where things are, and whether what lies there may be used.
  const startedAt = (now ?? Date.now)();
  const reports = createReports();
  const directories = hostDirectories(options, reports.add);
  const { home, root, state, trust, cacheDir } = directories;
  const workspace = await createWorkspace({ root: directories.workspace });

  // Scan and catalogue.
  const discovery = openDiscovery({
    root,
    home,
    cacheDir,
    env,
    trust: trust.question,
    keepsTexts: Boolean(options.watch),
    locale: requireLocale(options.locale),
  });
  const defaults = {
    profile: options.profile ?? textSetting(discovery.settings, "profile") ?? "default",
    project: options.project ?? textSetting(discovery.settings, "project"),
  };
  discovery.view(defaults.profile, defaults.project);
  discovery.mark();

  // Governance: secrets, log, process.
  const { trusted } = discovery;
  const secrets = openHostSecrets({ root, project: defaults.project, env, trusted });
  const { masker } = secrets;
  const log = createLog({ ...logSettings(discovery.settings, { root, state }), masker, report: reports.add });
  const guard = options.guard ? acquireProcessGuard({ report: reports.add }) : undefined;

  const unwritable = unwritableCache(cacheDir, discovery.display(cacheDir));
  if (unwritable) reports.add(unwritable);

  // Load: modules, contracts, one registry for each profile and generation.
  const contracts = maskedFailures(openContractCache({ cacheDir }), masker);
  const keeper = createListingKeeper({ options, directories, discovery, contracts, startedAt });
  const contentRoots = () => [root, home, ...discovery.linkedDirectories];
  const loadTimeoutMs = numberSetting(discovery.settings, "tools.loadTimeoutMs", 10_000);
  const loader = openModuleLoader({
    sdk: async () => (await import("./loading/content-sdk.ts")).contentSdk,
    contentRoots: contentRoots(),
    cacheDir,
    deadlineMs: loadTimeoutMs,
    display: discovery.display,
    texts: discovery.texts,
  });
  const events = createEvents({ report: reports.add, masker, guard });
  const leftovers = createLeftovers({ discovery, report: reports.add, events });
  const content = createContentRunner(guard, log);
  const generationParts = { contracts, content, leftovers, report: reports.add, defaults };
  const { edition } = discovery;
  const generations = createGenerations({
    first: createGeneration({ number: 1, edition, loader }, generationParts),
    ...(drainMs === undefined ? {} : { drainMs }),
  });

  // Calls and agents.
  const prompts = withSecretNames(createPrompts(), namesSecrets ? secrets : { names: () => [] });
  const lookout = createLookout({
    watch: options.watch ?? false,
    probe: options.probe ?? false,
    openProbe: () =>
      openProbe({
        ...{ root, contentRoots, cacheDir, entry: probeProgram(), report: reports.add },
        timeoutMs: Math.min(loadTimeoutMs, PROBE_TIMEOUT_MS),
      }),
    startWatching: async () =>
      await startWatching({
        discovery,
        generations,
        reloader,
        cacheDir,
        everything: options.watch === "all",
        report: reports.add,
        ...(watcher ? { watcher } : {}),
      }),
  });
  const reloader = createReloader({
    ...generationParts,
    discovery,
    secrets,
    generations,
    prompts,
    events,
    contentRoots,
    probe: lookout.probe,
    promptOf: async (generation) => {
      const registry = generation.registry();
      return await promptFor({ generation, registry, signal: new AbortController().signal, release: () => {} });
    },
  });
  const dispatcher = createDispatcher();
  const offers = createOffers();
  const sessions = createHostSessions({
    root,
    state,
    masker,
    display: discovery.display,
    toolPath: workspace.relative,
    report: reports.add,
  });
  const audit = createHostAudit({ settings: discovery.settings, root, state, masker, report: reports.add });
  const places = {
    ...{ root, home, linked: () => discovery.linkedDirectories },
    outside: outsideDirectory(root, env),
    configuration: dirname(trustFile(env)),
    audit: audit.store.file,
  };
  const processes = openHostProcesses({ env, workspace: workspace.root, home, places, secrets });
  const receipts = createHostReceipts({ state, masker, display: discovery.display, report: reports.add });
  const settle = () => lookout.watching?.settle();
  const revived = createRevived(generations, reloader.revive);
  const authorities = createAuthorities();
  // What was approved by whoever made an untrusted root counts no more than the rest of it, nor do links in it.
  const trustedState = discovery.trusted ? state : outsideDirectory(root, env);
  const approvals = createApprovals({
    ...{ approver: options.approver, masker, events, guard },
    file: join(trustedState, "approvals.jsonl"),
    display: discovery.display,
    report: reports.add,
  });
  const estopPlaces = stateDirectories(root, env);
  const estop = createEstop({
    directories: estopPlaces,
    stop(reason) {
      generations.stop(reason);
      processes.stop();
    },
  });
  const spending = createSpending({
    ...{ state, display: discovery.display, report: reports.add },
    now: now ?? Date.now,
  });
  const metering = createMetering({ estop, spending, now: now ?? Date.now });
  const window = createActionWindow({ state, now: now ?? Date.now, unsound: reportUncounted(reports, discovery) });
  const limits = createCallLimits({ estop, metering, window, now: now ?? steadyTime });
  const caller = createCaller({
    ...{ generations, revived, dispatcher, workspace, log, secrets, guard, events, sessions, receipts, face, settle },
    ...{ authorities, limits, gate: createGate({ limits, approvals }) },
    audit,
    fileAccess: createFileAccess({ workspace: workspace.root, places, locks: join(trustedState, "locks") }),
    processes: processes.open(),
    createTeam: (session) => createLoneTeam(agentParts, session),
  });
  const agentParts: AgentParts = {
    generations,
    revived,
    caller,
    prompts,
    events,
    offers,
    sessions,
    receipts,
    ...{ authorities, limits, metering, processes },
    audit,
    masker,
    report: reports.add,
    env,
    cassettes: createCassettes({ env, cwd, masker, report: reports.add }),
    model: options.model,
  };

  /** Works on the current generation, which stays until the work is done. */
  const on = async <T>(
    profile: string | undefined,
    work: (registry: Registry, lease: ProfileLease) => T | Promise<T>,
  ): Promise<T> => {
    const lease = caller.lease(profile);
    try {
      const done = await work(lease.registry, lease);
      await settle();
      return done;
    } finally {
      lease.release();
    }
  };
  const asOwner = async <T>(lease: ProfileLease, work: (owner: SystemPromptOwner) => Promise<T>): Promise<T> => {
    const { registry, generation, signal } = lease;
    const { model } = options;
    const id = modelId(agentParts, registry);
    const protocol = typeof model === "object" ? model.protocol : protocolFor(id, registry.view.settings);
    const provider = providerFor({ id: id ?? OFFLINE, protocol });
    const hooks = generation.hooks(registry);
    const authority = await caller.authority(lease);
    const tools = async () => await offers.of(registry, await callableTools(registry, authority), provider);
    return await caller.withAgent(
      lease,
      async (agent) => await work({ registry, prompts, protocol, hooks, agent, signal, tools }),
    );
  };
  const promptFor = async (lease: ProfileLease): Promise<ShownPrompt> => {
    const shown = await asOwner(lease, showPrompt);
    lease.generation.servePrompt(lease.registry);
    return shown;
  };
  const diagnostics = ({ profile }: ProfileOption = {}): readonly Diagnostic[] => {
    const { current } = generations;
    const listed = listTools(current.registry(profile)).diagnostics;
    const all = [
      ...listed,
      ...estopDiagnostics(estop),
      ...secrets.diagnostics(),
      ...reports.all(),
      ...current.diagnostics(),
    ];
    return masker.maskJson(onceForTheCache(uniqueDiagnostics(all)));
  };
  const sandboxFor = async (lease: ProfileLease) => await sandboxOf(processes, (await caller.authority(lease)).policy);
  const examine = async (registry: Registry, lease: ProfileLease): Promise<Doctor> =>
    await examineHost({
      root,
      home,
      cacheDir,
      env,
      registry,
      diagnostics: diagnostics(),
      model: { id: modelId(agentParts, registry), given: typeof options.model === "object" },
      watching: lookout.watching,
      estop: estop.look(),
      sandbox: await sandboxFor(lease),
      pinned: reloader.history.pinned,
      leakedTimers: leftovers.timers(),
      display: discovery.display,
    });
  const checkerParts: CheckerParts = {
    ...{ root: discovery.root, home: discovery.home, generations, caller, mask: masker.mask, cacheDir, trusted },
    open: async (others) => await openHost(others, { namesSecrets: false }),
    prompt: async (lease) => await asOwner(lease, async (owner) => await systemPromptOf(owner)()),
    reload: async () => void (await reloader.reload()),
  };
  const check = createChecker(checkerParts);
  const locales = createLocaleKeeper(checkerParts);
  const endJobs = startJobs({ generations, report: reports.add });
  const close = async (): Promise<void> => {
    endJobs();
    estop.close();
    await lookout.close();
    await generations.close();
    await processes.close();
    sessions.close();
    await receipts.close();
    audit.close();
    for (const problem of [discovery.save(), contracts.save(), keeper.save()]) if (problem) reports.add(problem);
    await log.close();
    // Last: until then, what a timer of content prints is not the host's output.
    guard?.release();
  };
  let closing: Promise<void> | undefined;
  if (options.watch && options.watch !== "later") await lookout.begin();

  return {
    root,
    home,
    workspace: workspace.root,
    trusted,
    get generation() {
      return generations.current.number;
    },
    async list({ profile } = {}) {
      const listing = await on(profile, (registry) => listTools(registry, authorities.shown(registry, face)));
      // The tools themselves are told by files; a module that failed may have said anything.
      const told = { ...listing, diagnostics: masker.maskJson([...estopDiagnostics(estop), ...listing.diagnostics]) };
      if (keepsListing && profile === undefined) keeper.note(told);
      return told;
    },
    items: (kind, { profile, hidden } = {}) =>
      listItems(generations.current.registry(profile).view, kind, { hidden: hidden === true }),
    explain: async (id, { profile, kind } = {}) =>
      masker.maskJson(
        await on(profile, (registry) =>
          explainEntry(registry, { id, kind, refusal: authorities.shown(registry, face) }),
        ),
      ),
    prompt: async ({ profile } = {}) => masker.maskJson(await on(profile, async (_, lease) => await promptFor(lease))),
    call: caller.call,
    parameters: caller.parameters,
    toolDefinitions: async ({ profile, provider } = {}) =>
      masker.maskJson(
        await on(profile, async (_, lease) =>
          definitionsFor({ ...lease, authority: await caller.authority(lease) }, offers, provider),
        ),
      ),
    async run(message, runOptions = {}) {
      const agent = await createAgent(agentParts, runOptions);
      try {
        return await agent.run(message, runOptions);
      } finally {
        agent.close();
      }
    },
    agent: async (agentOptions = {}) => await createAgent(agentParts, agentOptions),
    sessions: {
      ...sessions.store,
      async delete(id) {
        await sessions.store.delete(id);
        approvals.sessionDeleted(id);
      },
    },
    receipts: receipts.store,
    audit: audit.store,
    loadAll: async ({ profile } = {}) => masker.maskJson(await on(profile, loadAll)),
    locales: async (question = {}) => await locales.coverage(question),
    fillLocale: async (question) => masker.maskJson(await locales.fill(question)),
    check: async (checkOptions = {}) => masker.maskJson(await check(checkOptions)),
    policy: maskedPolicy(createPolicyQuestions(caller, processes), masker),
    estop: createEstopSwitch(estop, { directories: estopPlaces, mask: masker.mask }),
    approvals: { list: approvals.list, open: approvals.open, revoke: approvals.revoke },
    status: async () =>
      await on(undefined, async (registry, lease) =>
        masker.maskJson(
          hostStatus(registry, {
            ...{ root, diagnostics: diagnostics(), watching: lookout.watching, sandbox: await sandboxFor(lease) },
            ...{ estop: estop.look(), spent: metering.spent() },
          }),
        ),
      ),
    reload: async () => masker.maskJson(await reloader.reload()),
    async watch() {
      generations.requireOpen();
      await lookout.begin();
    },
    doctor: async () => masker.maskJson(await on(undefined, examine)),
    generations: maskedHistory(reloader.history, masker),
    on: events.on,
    onAny: events.onAny,
    diagnostics,
    async close() {
      closing ??= close();
      await closing;
    },
  };
}
