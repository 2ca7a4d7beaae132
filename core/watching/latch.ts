/** A promise that is kept from outside. */
export interface Latch {
  readonly opened: Promise<void>;
  /** The second time does nothing. */
  open(): void;
}

export function createLatch(): Latch {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}
