/** The fastest tells what the work itself costs. */
const ROUNDS = 15;

/** Milliseconds of processor time, which other programs on this machine don't lengthen. */
export function fastest(work) {
  const times = Array.from({ length: ROUNDS }, () => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  });
  return Math.min(...times);
}
