/** A clock for the stand-in GitHub that tests move and stop. */

export interface GitHubClock {
  now(): Date;
  /** GitHub keeps whole seconds: what happens after this is later for it, too. */
  forward(seconds?: number): void;
  /** Everything happens in the same second until `thaw`. */
  freeze(): void;
  thaw(): void;
}

export function makeGitHubClock(): GitHubClock {
  let offset = 0;
  let frozen: number | null = null;
  return {
    now: () => new Date(frozen ?? Date.now() + offset),
    forward(seconds = 1) {
      offset += seconds * 1_000;
    },
    freeze() {
      frozen = Date.now() + offset;
    },
    thaw() {
      frozen = null;
    },
  };
}
