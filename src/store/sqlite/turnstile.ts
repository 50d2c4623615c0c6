/** Lets one through at a time, in the order of arrival. */

export interface Turnstile {
  /** Resolves when it is the caller's turn, with the function that lets the next one through. */
  enter(): Promise<() => void>;
}

export function makeTurnstile(): Turnstile {
  let last: Promise<void> = Promise.resolve();

  function enter(): Promise<() => void> {
    const before = last;
    let leave = () => {};
    last = new Promise((resolve) => {
      leave = resolve;
    });
    return before.then(() => leave);
  }

  return { enter };
}
