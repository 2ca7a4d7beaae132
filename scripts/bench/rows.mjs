import { check } from "./rows/check.mjs";
import { coldLoad } from "./rows/cold-load.mjs";
import { commandPolicy } from "./rows/command-policy.mjs";
import { contentSearch } from "./rows/content-search.mjs";
import { discoveryScan } from "./rows/discovery-scan.mjs";
import { dispatch } from "./rows/dispatch.mjs";
import { dispatchEntered } from "./rows/dispatch-entered.mjs";
import { dispatchScaling } from "./rows/dispatch-scaling.mjs";
import { fileRead } from "./rows/file-read.mjs";
import { firstCall } from "./rows/first-call.mjs";
import { globSearch } from "./rows/glob-search.mjs";
import { list } from "./rows/list.mjs";
import { lostSaves } from "./rows/lost-saves.mjs";
import { mask } from "./rows/mask.mjs";
import { memory } from "./rows/memory.mjs";
import { policyShare } from "./rows/policy-share.mjs";
import { probeAdds } from "./rows/probe-adds.mjs";
import { promptChanged } from "./rows/prompt-changed.mjs";
import { promptUnchanged } from "./rows/prompt-unchanged.mjs";
import { reloadHeap } from "./rows/reload-heap.mjs";
import { runMemory } from "./rows/run-memory.mjs";
import { runTime } from "./rows/run-time.mjs";
import { saveCallable } from "./rows/save-callable.mjs";
import { saveCallableSlow } from "./rows/save-callable-slow.mjs";
import { sessionMemory } from "./rows/session-memory.mjs";
import { sessionTime } from "./rows/session-time.mjs";
import { shell } from "./rows/shell.mjs";
import { shellSandboxed } from "./rows/shell-sandboxed.mjs";
import { streamParse } from "./rows/stream-parse.mjs";
import { turn } from "./rows/turn.mjs";
import { version } from "./rows/version.mjs";
import { warmIndex } from "./rows/warm-index.mjs";
import { warmLoad } from "./rows/warm-load.mjs";
import { watchCount } from "./rows/watch-count.mjs";
import { watchIdle } from "./rows/watch-idle.mjs";
import { watchMemory } from "./rows/watch-memory.mjs";
import { watchReady } from "./rows/watch-ready.mjs";

/** What we hold, in the order of the table. */
export const ROWS = [
  discoveryScan,
  warmIndex,
  version,
  list,
  check,
  firstCall,
  coldLoad,
  warmLoad,
  promptChanged,
  promptUnchanged,
  dispatch,
  dispatchScaling,
  policyShare,
  commandPolicy,
  dispatchEntered,
  fileRead,
  shell,
  shellSandboxed,
  turn,
  streamParse,
  mask,
  contentSearch,
  globSearch,
  memory,
  runTime,
  runMemory,
  sessionTime,
  sessionMemory,
  saveCallable,
  saveCallableSlow,
  probeAdds,
  lostSaves,
  reloadHeap,
  watchReady,
  watchCount,
  watchMemory,
  watchIdle,
];
