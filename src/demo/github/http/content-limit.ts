/** GitHub's secondary limit on creating content, which no header tells: so much a minute, so much an hour, for each caller. */

const LIMITS: readonly { windowMs: number; most: number }[] = [
  { windowMs: 60_000, most: 80 },
  { windowMs: 3_600_000, most: 500 },
];

/** Counts one creation. Returns the seconds to wait where there were too many; 0: go on. */
export type CountContent = (account: string) => number;

export function makeContentLimit(now: () => number): CountContent {
  const created = new Map<string, number[]>();
  return (account) => {
    const longest = Math.max(...LIMITS.map(({ windowMs }) => windowMs));
    const times = (created.get(account) ?? []).filter((time) => time > now() - longest);
    created.set(account, times);
    const waits = LIMITS.map(({ windowMs, most }) => {
      const within = times.filter((time) => time > now() - windowMs);
      const oldest = within.at(-most);
      return oldest === undefined ? 0 : Math.ceil((oldest + windowMs - now()) / 1000);
    });
    const wait = Math.max(...waits);
    if (wait === 0) times.push(now());
    return wait;
  };
}
