import type { Contract } from "./contract.ts";
import { missingArguments, unknownArguments, wrongTypes } from "./contracts/arguments.ts";
import { asking } from "./contracts/asking.ts";
import { concurrency } from "./contracts/concurrency.ts";
import { escapes } from "./contracts/escapes.ts";
import { fragment } from "./contracts/fragment.ts";
import { hugeInput, unicodeInput } from "./contracts/inputs.ts";
import { masking } from "./contracts/masking.ts";
import { reloads } from "./contracts/reloads.ts";
import { envelope, jsonData, sampleCall } from "./contracts/results.ts";
import { abortBefore, abortDuring, timeout } from "./contracts/stopping.ts";

/** What every tool is held to, in the order in which it is checked: what is simple first. */
export const CONTRACTS: readonly Contract[] = [
  sampleCall,
  envelope,
  jsonData,
  fragment,
  unknownArguments,
  missingArguments,
  wrongTypes,
  escapes,
  hugeInput,
  unicodeInput,
  concurrency,
  asking,
  masking,
  abortBefore,
  abortDuring,
  timeout,
  reloads,
];
