/** The end of a run's output as a folded block, which nothing in it can close. Pure. */
import { code, fenced, label } from './neutral.ts';

export interface LogTail {
  key: string;
  run: number;
  text: string;
}

/** At most about `most` characters; what counts of an output is its end. */
export function logPart({ key, run, text }: LogTail, most: number): string {
  if (text.trim() === '') return `${code(key)}: run ${run} has written nothing yet.`;
  const summary = `<summary>The end of the output of <code>${label(key)}</code>, run ${run}</summary>`;
  return ['<details>', summary, '', fenced(text, most), '', '</details>'].join('\n');
}
