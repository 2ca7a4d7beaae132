import { type Diagnostic, diagnostic } from "../diagnostics.ts";
import type { Masker } from "../governance/mask.ts";
import type { ProcessGuard } from "../governance/process-guard.ts";
import type { EventMap, EventName, HostEvent } from "../sdk/events.ts";

/** Who listens to a host. */
export interface Events {
  /** @returns a function that ends the listening */
  on<Name extends EventName>(name: Name, listener: (payload: EventMap[Name]) => void): () => void;
  /** Listens to all events, in the order in which they happen. @returns a function that ends the listening */
  onAny(listener: (event: HostEvent) => void): () => void;
  /** Whether anybody listens to an event: most are never heard, and need not even be put together. */
  isHeard(name: EventName): boolean;
  /** Hands an event to its listeners, masked. One that throws is reported; the others still hear it. */
  emit(event: HostEvent): void;
}

/** What {@link createEvents} takes. */
export interface EventsOptions {
  /** Is given what a listener's failure is told as. */
  report(diagnostic: Diagnostic): void;
  readonly masker: Pick<Masker, "maskJson">;
  readonly guard: Pick<ProcessGuard, "leave"> | undefined;
}

export function createEvents({ report, masker, guard }: EventsOptions): Events {
  const listeners = new Map<EventName | "any", Set<(payload: never) => void>>();
  const listen = (name: EventName | "any", listener: (payload: never) => void): (() => void) => {
    const set = listeners.get(name) ?? new Set();
    listeners.set(name, set.add(listener));
    return () => void set.delete(listener);
  };
  const has = (name: EventName | "any"): boolean => (listeners.get(name)?.size ?? 0) > 0;
  const isHeard = (name: EventName): boolean => has(name) || has("any");
  const deliver = (event: HostEvent): void => {
    const heard = [...(listeners.get(event.type) ?? []), ...(listeners.get("any") ?? [])];
    const shown = masker.maskJson(event);
    for (const listener of heard) {
      const hear = () => listener(shown as never);
      try {
        // Content's work causes events, and what a listener prints is the host's.
        if (guard) guard.leave(hear);
        else hear();
      } catch (error) {
        report(
          diagnostic("LISTENER_FAILED", {
            message: `a listener of ${event.type} threw: ${error instanceof Error ? error.message : String(error)}`,
          }),
        );
      }
    }
  };
  // What a listener causes comes after what it was told, for everybody who listens.
  const waiting: HostEvent[] = [];
  return {
    on: (name, listener) => listen(name, listener),
    onAny: (listener) => listen("any", listener),
    isHeard,
    emit(event) {
      if (!isHeard(event.type)) return;
      if (waiting.push(event) > 1) return;
      try {
        for (let next: HostEvent | undefined = event; next; next = waiting[0]) {
          deliver(next);
          waiting.shift();
        }
      } finally {
        waiting.length = 0;
      }
    },
  };
}
