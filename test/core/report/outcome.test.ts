/** What an outcome comment says where the plain cases of the end-to-end tests don't reach. */
import { describe, expect, it } from 'vitest';
import { DEFAULT_POLICY } from '../../../src/core/policy.ts';
import { isTellable, LONGEST_WAIT_MS, type OutcomeEntry, renderOutcomes } from '../../../src/core/report/outcome.ts';
import type { Run } from '../../../src/core/run.ts';
import { anEpisode, aRun, aTask, at } from '../../support/builders.ts';

function report(entry: Partial<OutcomeEntry>) {
  const whole = { effect: 'stopping', result: 'done', task: aTask(), run: aRun({ state: 'stopping' }), ...entry };
  return { id: 'close-episode_1', key: 'close:episode_1', episode: anEpisode(), entries: [whole] };
}

function bodyOf(entry: Partial<OutcomeEntry>): string {
  return renderOutcomes([report(entry)], DEFAULT_POLICY);
}

it('a stop is told when the run was seen gone, or when it was not for a long time, and then as just that', () => {
  const silent = report({});
  expect(isTellable(silent, LONGEST_WAIT_MS - 1)).toBe(false);
  expect(isTellable(silent, LONGEST_WAIT_MS)).toBe(true);
  expect(bodyOf({})).toMatch(/run 1 was told to stop; its runner has not said yet/);
  expect(bodyOf({})).not.toMatch(/KILL|stopped \(|has \*\*not\*\* stopped/);
  const survivors = aRun({ state: 'stopping', killAt: at(1), survivors: [11] });
  expect(isTellable(report({ run: survivors }), 0)).toBe(true);
  expect(bodyOf({ run: survivors })).toMatch(/sent KILL, and process 11 survived\. It has \*\*not\*\* stopped/);
});

it('a requeue that waits for the old run is never told as an end', () => {
  expect(bodyOf({ effect: 'requeue_pending' })).toMatch(/is queued again once run 1 has stopped/);
});

it('a requeue names the run that follows the one before it, whatever has begun until it is told', () => {
  const requeued = (runNumber: number, run: Run | null) =>
    bodyOf({ effect: 'requeued', result: 'ready', task: aTask({ runNumber }), run });
  expect(requeued(0, null)).toContain('is queued again as run 1.');
  expect(requeued(1, null)).toContain('is queued again as run 1.');
  expect(requeued(1, aRun({ state: 'cancelled' }))).toContain('is queued again as run 2.');
  expect(requeued(4, aRun({ state: 'cancelled' }))).toContain('is queued again as run 2.');
});

it('a run that failed is told as what it was: not started, lost, or ended by its deadline', () => {
  const failed = (run: Parameters<typeof aRun>[0]) => bodyOf({ effect: 'failed', result: 'failed', run: aRun(run) });
  expect(failed({ state: 'failed', cause: 'start_failed', reason: 'no such program' })).toMatch(
    /run 1 could not start — `no such program`/,
  );
  expect(failed({ state: 'lost', cause: 'runner_lost', reason: 'gone' })).toMatch(/run 1 was lost — `gone`/);
  expect(failed({ state: 'failed', cause: 'timeout' })).toMatch(/run 1 ended \(timeout\)/);
});

it('a verify run is called so, and one without a verdict asks for a person', () => {
  const of = (effect: string, result: string, set: Partial<Run>) =>
    bodyOf({ effect, result, run: aRun({ number: 2, purpose: 'verify', state: 'failed', ...set }) });
  expect(of('failed', 'failed', { cause: 'verify_failed', exitCode: 3 })).toContain(
    '`train`: verify run 2 ended with exit code 3.',
  );
  expect(of('unverified', 'blocked', { cause: 'timeout', signal: 'TERM' })).toContain(
    '`train`: verify run 2 ended by signal TERM (timeout), and gave no verdict; the task is **blocked**.',
  );
  const report = { id: 'x', key: 'unverified:task_1:1', episode: null, entries: [] };
  const body = renderOutcomes([report], DEFAULT_POLICY);
  expect(body).toContain('**Needs a person.**');
  expect(body).toMatch(/`\/task release` \(needs write permission\).*`\/task done` \(needs triage permission\)/);
});

it('calls a run lost that nobody saw end, and never stopped', () => {
  const run = aRun({
    state: 'lost',
    cause: 'runner_lost',
    reason: 'no record',
    cancelRequestedAt: at(0),
    termAt: at(0),
  });
  const body = bodyOf({ effect: 'stopped', result: 'cancelled', run });
  expect(body).toContain('`train`: run 1 was lost — `no record`; the task is **cancelled**.');
  expect(body).not.toMatch(/stopped|gone|TERM/);
  const told = renderOutcomes([report({ effect: 'stopped', result: 'cancelled', run })], DEFAULT_POLICY);
  expect(told).toContain('no reopen runs its task again by itself: on an open issue, `/task retry` (needs write');
  expect(told).not.toContain('To undo');
  const requeued = bodyOf({ effect: 'requeued', result: 'ready', run });
  expect(requeued).toContain('is queued again as run 2. Run 1 was lost: nobody saw it end.');
  const task = aTask({ state: 'ready', notBeforeReason: 'attempt 1 of 3 failed' });
  const entry = { effect: 'review', result: 'branch `x`* has 3 commits', task, run };
  const lost = { id: 'x', key: 'review:task_1:1', episode: null, entries: [entry] };
  const review = renderOutcomes([lost], DEFAULT_POLICY);
  expect(review).toContain('**Needs a person.** A run was lost, and its work may be there.');
  expect(review).toContain('run 1 was lost — `no record`, but ``branch `x`* has 3 commits``; the task is **blocked**.');
  expect(review).toMatch(/`\/task release` .*`\/task done`/);
});

it('says who can run what may yet live, where a reopen did not', () => {
  const entry = { effect: 'refused', result: 'unseen', task: aTask({ state: 'cancelled' }), run: null };
  const report = { id: 'x', key: 'reopen:episode_1', episode: anEpisode({ state: 'undone' }), entries: [entry] };
  const body = renderOutcomes([report], DEFAULT_POLICY);
  expect(body).toContain('`train` stays **cancelled**: its last run was lost, and nobody saw it end.');
  expect(body).toContain('To run it again all the same: `/task retry` (needs write permission).');
});

describe('several that waited together', () => {
  const failure = (id: number) => ({
    id: `failure-${id}`,
    key: `failure:task_${id}:1`,
    episode: null,
    entries: [
      {
        effect: 'failed',
        result: 'failed',
        task: aTask({ key: `t${id}` }),
        run: aRun({ state: 'failed', cause: 'run_failed', exitCode: 1 }),
      },
    ],
  });

  it('are one list where they say the same', () => {
    const body = renderOutcomes([failure(1), failure(2)], DEFAULT_POLICY);
    expect(body).toBe(
      '<!-- standdown:outcome failure-1 -->\n**Failed.**\n\n- `t1`: run 1 ended with exit code 1.\n- `t2`: run 1 ended with exit code 1.\n\nTo run again what has failed: `/task retry` (needs write permission).',
    );
  });

  it('follow one another where they do not', () => {
    const close = report({ effect: 'ended', run: null });
    const reopen = { ...close, id: 'reopen-episode_1', key: 'reopen:episode_1' };
    const body = renderOutcomes(
      [close, { ...reopen, entries: [{ ...close.entries[0]!, effect: 'requeued' }] }, close],
      DEFAULT_POLICY,
    );
    expect(body.match(/<!--/g)).toHaveLength(1);
    expect(body.match(/\*\*(Standing down|Back in the queue)\.\*\*/g)).toEqual([
      '**Standing down.**',
      '**Back in the queue.**',
      '**Standing down.**',
    ]);
  });

  it('stay below what GitHub takes, however many, however long, and say what was left out', () => {
    const key = 'x'.repeat(100);
    const reason = '@ann #1 `'.repeat(10_000);
    const survivors = Array.from({ length: 1_000 }, (_, pid) => 100_000 + pid);
    const entry = (effect: string) => ({
      effect,
      result: 'failed',
      task: aTask({ key }),
      run: aRun({ state: 'lost', reason, survivors }),
    });
    const reports = Array.from({ length: 10_000 }, (_, id) => ({
      ...failure(id),
      key: id % 2 === 0 ? `failure:${id}` : `command:${id}:${'y'.repeat(id % 50)}`,
      entries: [entry(id % 3 === 0 ? 'stopping' : 'failed'), entry('failed')],
    }));
    const body = renderOutcomes(reports, DEFAULT_POLICY);
    expect(body.length).toBeLessThan(65_536);
    expect(body).toMatch(/left out/);
    expect(body).not.toMatch(/(^|\s)@ann/);
  });
});

it('a success is told with how long it took', () => {
  const run = aRun({ number: 2, state: 'succeeded', startedAt: at(0), endedAt: at(300) });
  const success = { ...report({ effect: 'succeeded', result: 'done', run }), key: 'success:task_1:1' };
  expect(renderOutcomes([success], DEFAULT_POLICY)).toMatch(
    /\*\*Done\.\*\*\n\n- `train`: run 2 succeeded after 5 min\.$/,
  );
});

it('what nobody foresaw can not break out either', () => {
  expect(bodyOf({ effect: 'unheard_of', result: '@ann <b>' })).toContain('`train`: `@ann <b>`.');
});
