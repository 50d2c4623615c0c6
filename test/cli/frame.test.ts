import { describe, expect, it } from 'vitest';
import { frameOf, type Space } from '../../src/cli/follow/frame.ts';
import { batchView, understand } from '../../src/cli/views.ts';
import { batchAs, runAs, start, startApp, taskAs, tell, WAIT } from './support.ts';

const SPACE = { now: new Date('2026-01-02T12:00:05.000Z'), trouble: null, columns: 80, rows: 23 };

const TASKS = [
  taskAs({ key: 'fetch', state: 'done' }),
  taskAs({ key: 'eval', state: 'waiting', waiting_on: 'needs train (running)' }),
  taskAs({ key: 'train', runs: [runAs({ number: 1, state: 'failed' }), runAs({ number: 2 })] }),
  taskAs({ key: 'clean', state: 'running', runs: [runAs({ state: 'stopping', started_at: null })] }),
];
const COUNTS = { done: 1, waiting: 1, running: 2 };

function frame(space: Partial<Space> = {}, tasks: unknown[] = TASKS) {
  return frameOf(understand(batchView, batchAs({ tasks, counts: COUNTS })), { ...SPACE, ...space });
}

describe('the block of a followed batch', () => {
  it('shows what runs first and for how long, then what waits and for what, and counts what has ended', () => {
    expect(frame()).toEqual([
      'acme/widgets nightly (batch_1): running, 1 done, 1 waiting, 2 running',
      '  train  running   run 2  5.0 s',
      '  clean  stopping  run 1',
      '  eval   waiting                 needs train (running)',
    ]);
  });

  it('is never higher or wider than the terminal, and counts what it leaves out', () => {
    const many = Array.from({ length: 10_000 }, (_, index) => taskAs({ key: `t${index}`, state: 'ready' }));
    for (const rows of [1, 2, 3, 10]) expect(frame({ rows }, many)).toHaveLength(rows);
    expect(frame({ rows: 4 }, many).at(-1)).toBe('  and 9998 more');
    expect(frame({ rows: 4 }).at(-1)).toContain('eval');
    for (const row of frame({ columns: 20 })) expect(row.length).toBeLessThanOrEqual(20);
    expect(frame({ columns: 20 })[0]).toBe('acme/widgets nightl…');
  });

  it('lets no text of others move the cursor', () => {
    const rows = frame({}, [taskAs({ state: 'blocked', waiting_on: 'waits for an answer: \x1b[2J\nwhich?' })]);
    expect(rows).toHaveLength(2);
    for (const row of rows) expect(row).not.toMatch(/\p{Cc}/u);
  });

  it('says that the app does not answer', () => {
    expect(frame({ trouble: 'ECONNREFUSED' })[1]).toBe('ECONNREFUSED; trying again');
  });
});

describe('following a batch on a terminal', () => {
  it('redraws the block in place, and leaves the batch as it ended', async () => {
    const app = await startApp();
    const waiting = taskAs({ id: 'task_2', key: 'eval', state: 'waiting', waiting_on: 'needs train (running)' });
    app.batch = batchAs({ counts: { running: 1, waiting: 1 }, tasks: [taskAs({ runs: [runAs()] }), waiting] });
    const following = start(app, ['batch', 'follow', 'batch_1'], { columns: 60, rows: 10 });
    await expect
      .poll(() => screenOf(following.out()), WAIT)
      .toEqual([
        'acme/widgets nightly (batch_1): running, 1 running, 1 waiti…',
        expect.stringMatching(/^ {2}train {2}running {2}run 1 {2}[\d.]+ h$/),
        expect.stringMatching(/^ {2}eval +waiting +needs train \(runn/),
      ]);
    app.batch = batchAs({ counts: { done: 1, running: 1 }, tasks: [taskAs({ key: 'eval' })] });
    tell(app, 'TASK_DONE', { from: 'running', to: 'done' });
    await expect.poll(() => screenOf(following.out()), WAIT).toHaveLength(2);
    app.batch = batchAs({ state: 'completed', counts: { done: 2 }, tasks: [taskAs({ state: 'done' })] });
    tell(app, 'BATCH_STATE_CHANGED', { from: 'running', to: 'completed', stuck: false });
    const { exitCode, out, err } = await following.done;
    await app.close();
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' });
    expect(screenOf(out)).toEqual([
      'acme/widgets nightly (batch_1): completed, 2 done',
      'TASK   ID      ISSUE  STATE  WHY',
      'train  task_1  #13    done',
    ]);
    expect(out.lastIndexOf('\x1b[?7h')).toBeGreaterThan(out.lastIndexOf('\x1b[?7l'));
  });
});

it('draws the block on a terminal that says it has no size', async () => {
  const app = await startApp();
  const following = start(app, ['batch', 'follow', 'batch_1'], { columns: 0, rows: 0 });
  const drawn = ['acme/widgets nightly (batch_1): running, 1 running', '  train  running'];
  await expect.poll(() => screenOf(following.out()), WAIT).toEqual(drawn);
  following.interrupt();
  await following.done;
  await app.close();
});

/** What a terminal shows after this was written to it. */
function screenOf(written: string): string[] {
  const rows: string[] = [];
  let row = 0;
  let column = 0;
  const type = (text: string) => {
    for (const character of text) {
      if (character === '\r') column = 0;
      else if (character === '\n') [row, column] = [row + 1, 0];
      else {
        const there = rows[row] ?? '';
        rows[row] = there.slice(0, column) + character + there.slice(column + 1);
        column += 1;
      }
    }
  };
  const [plain = '', ...sequences] = written.split('\x1b');
  type(plain);
  for (const sequence of sequences) {
    const [code = '', count, name] = /^\[\??(\d*)([A-Za-z])/.exec(sequence) ?? [];
    if (name === 'A') row -= Number(count);
    if (name === 'K') rows[row] = (rows[row] ?? '').slice(0, column);
    if (name === 'J') rows.length = Math.min(rows.length, row);
    type(sequence.slice(code.length));
  }
  return rows;
}
