/** How often the app is asked again that gave no answer. */

/** No answer is asked for again after this, the last one again and again. */
const AGAIN_MS = [500, 1_000, 2_000, 5_000] as const;

export function againMs(failures: number): number {
  return AGAIN_MS[Math.min(failures, AGAIN_MS.length - 1)]!;
}
