/** Numbers that look random and are the same for the same seed, so that a story can be told again. */

/** From 0 up to, and without, `below`. */
export type Random = (below: number) => number;

export function makeRandom(seed: number): Random {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
