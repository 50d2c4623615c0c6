/** How a batch that is followed is shown: as JSON lines, as plain lines, or as a block that is redrawn on a terminal. */
import type { Context } from '../context.ts';
import { renderBatch, renderNextSteps, titleOf } from '../render-batch.ts';
import type { BatchView, EventView } from '../views.ts';
import { makeBlock } from './block.ts';
import { makeChangeLines } from './lines.ts';

export interface View {
  /** How old the batch that is shown may get, in ms, while nothing is told of it. */
  refreshMs: number;
  /** Whether news of single tasks, too, ask for a new look at the batch. */
  showsTasks: boolean;
  /** Those of the batch, each once and in their order. */
  events(events: readonly EventView[]): void;
  batch(batch: BatchView): void;
  /** Called again and again; `trouble` is why the app does not answer now. */
  draw(trouble: string | null): void;
  /** The batch has ended, or goes no further. */
  end(batch: BatchView): void;
}

/** What tells of a change comes as an event; the rest is to be safe. */
const SELDOM_MS = 30_000;
const OFTEN_MS = 2_000;

export function makeView(context: Context): View {
  if (context.json) return jsonView(context);
  return context.stdout.isTTY === true ? blockView(context) : linesView(context);
}

function jsonView({ stdout }: Context): View {
  const print = (value: unknown) => void stdout.write(`${JSON.stringify(value)}\n`);
  return {
    refreshMs: SELDOM_MS,
    showsTasks: false,
    events: (events) => events.forEach(print),
    batch: () => {},
    draw: () => {},
    end: print,
  };
}

function linesView({ stdout, tell }: Context): View {
  const lines = makeChangeLines();
  let told = false;
  let title: string | null = null;
  return {
    refreshMs: SELDOM_MS,
    showsTasks: false,
    events(events) {
      for (const event of events) {
        const line = lines.lineOf(event);
        if (line !== null) stdout.write(`${line}\n`);
      }
    },
    batch(batch) {
      lines.know(batch);
      // What was before is in no event that is told.
      if (title === null) tell(titleOf(batch));
      title ??= titleOf(batch);
    },
    draw(trouble) {
      if (trouble !== null && !told) tell(`${trouble}; trying again`);
      told = trouble !== null;
    },
    end(batch) {
      const last = titleOf(batch) === title ? '' : `${titleOf(batch)}\n`;
      const words = `${last}${renderNextSteps(batch)}`.trimEnd();
      if (words !== '') tell(words);
    },
  };
}

function blockView({ stdout }: Context): View {
  const block = makeBlock(stdout);
  let latest: BatchView | null = null;
  return {
    refreshMs: OFTEN_MS,
    showsTasks: true,
    events: () => {},
    batch(batch) {
      latest = batch;
    },
    draw(trouble) {
      if (latest !== null) block.draw(latest, trouble);
    },
    end(batch) {
      block.clear();
      stdout.write(renderBatch(batch));
    },
  };
}
