/** A block of lines at the end of a terminal, drawn again in place: its size is the terminal's as it is then. */
import type { Output } from '../context.ts';
import type { BatchView } from '../views.ts';
import { frameOf } from './frame.ts';

export interface Block {
  draw(batch: BatchView, trouble: string | null): void;
  clear(): void;
}

const UP = (lines: number) => (lines === 0 ? '' : `\x1b[${lines}A`);
const CLEAR_LINE = '\x1b[K';
const CLEAR_BELOW = '\x1b[J';
/** What is wider than it counts must not take a second line. */
const NO_WRAP = '\x1b[?7l';
const WRAP = '\x1b[?7h';

export function makeBlock(output: Output): Block {
  let height = 0;
  const replace = (lines: readonly string[]) => {
    const { rows } = sizeOf(output);
    const drawn = lines.map((line) => `${line}${CLEAR_LINE}\n`).join('');
    // Lines that were scrolled out of a terminal that shrank can't be reached.
    output.write(`${UP(Math.min(height, rows - 1))}\r${NO_WRAP}${drawn}${CLEAR_BELOW}${WRAP}`);
    height = lines.length;
  };
  return {
    draw(batch, trouble) {
      const { columns, rows } = sizeOf(output);
      replace(frameOf(batch, { trouble, now: new Date(), columns, rows: rows - 1 }));
    },
    clear: () => replace([]),
  };
}

/** A terminal that nobody told its size says that it is 0 by 0. */
function sizeOf({ columns, rows }: Output): { columns: number; rows: number } {
  return { columns: columns || 80, rows: rows || 24 };
}
