/** Titles, questions and reasons are other people's words: on the terminal of whoever looks at them they are only shown. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { renderBatch } from '../../src/cli/render-batch.ts';
import { renderExplanation } from '../../src/cli/render-explanation.ts';
import { renderTask } from '../../src/cli/render-task.ts';
import { batchView, type ExplanationView, understand } from '../../src/cli/views.ts';
import { HOSTILE } from '../core/report/hostile.ts';
import { batchAs } from './support.ts';

const EXPLANATION: ExplanationView = {
  ...{ repository: 'acme/widgets', issue: 12, state: 'open', title: '', note: null },
  ...{ blocked_by: [], tasks: [], blocks: [] },
} as never;

const UNSEEN = /(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\u2028\u2029]/u;

it('no word of theirs drives the terminal, or adds a line', () => {
  const batch = understand(batchView, batchAs());
  const [task] = batch.tasks;
  if (task === undefined) throw new Error('no task');
  fc.assert(
    fc.property(HOSTILE, (text) => {
      const at = new Date(0).toISOString();
      const asked = { kind: 'question', id: 'q', question: text, actor: text, at } as const;
      const said = [
        renderExplanation({ ...EXPLANATION, title: text, note: text }),
        renderTask({ ...task, runs: [], waiting_on: text, blockers: [asked] as never }),
        renderBatch({
          ...batch,
          hold: { reason: text, actor: text, at } as never,
          tasks: [{ ...task, waiting_on: text }],
        }),
      ];
      for (const shown of said) expect(shown).not.toMatch(UNSEEN);
      expect(said[0]?.split('\n')).toHaveLength(4);
    }),
    { numRuns: 300 },
  );
});
