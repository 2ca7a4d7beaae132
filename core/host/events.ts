import { type Diagnostic, diagnostic } from "../diagnostics.ts";
import type { EventMap, EventName, HostEvent } from "../sdk/events.ts";

/** Who listens to a host. */
export interface Events {
  /** @returns a function that ends the listening */
  on<Name extends EventName>(name: Name, listener: (payload: EventMap[Name]) => void): () => void;
  /** Hands an event to its listeners. One that throws is reported; the others still hear it. */
  emit(event: HostEvent): void;
}

/** @param report is given what a listener's failure is told as */
export function createEvents(report: (diagnostic: Diagnostic) => void): Events {
  const listeners = new Map<EventName, Set<(payload: never) => void>>();
  return {
    on(name, listener) {
      const set = listeners.get(name) ?? new Set();
      listeners.set(name, set.add(listener));
      return () => void set.delete(listener);
    },
    emit(event) {
      for (const listener of listeners.get(event.type) ?? []) {
        try {
          listener(event as never);
        } catch (error) {
          report(
            diagnostic("LISTENER_FAILED", {
              message: `a listener of ${event.type} threw: ${error instanceof Error ? error.message : String(error)}`,
            }),
          );
        }
      }
    },
  };
}
