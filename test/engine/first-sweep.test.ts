/** The sweep at start is waited for, but not for ever. */
import { afterEach, expect, it, vi } from 'vitest';
import { type Engine, startEngine } from '../../src/engine/index.ts';
import { makeChecker } from '../fixtures/engine/checker.ts';
import { type Embedded, embed, submit, untilTask } from '../fixtures/engine/embedded.ts';

let embedded: Embedded;
let engine: Engine | undefined;
let answer: () => void = () => {};

afterEach(async () => {
  answer();
  await engine?.stop();
  await embedded.close();
});

it('a GitHub that is silent holds up what needs none of it for as long as it may, and no longer', async () => {
  const checker = makeChecker();
  checker.set(1, { state: 'open' });
  embedded = await embed(checker);
  const { deps } = embedded;
  const [silent, free] = await submit(embedded, { silent: { run: ['true'], issue: 1 }, free: { run: ['true'] } });
  const silence = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const { readIssue } = checker;
  checker.readIssue = (repository, number) => silence.then(() => readIssue(repository, number));
  engine = await startEngine(deps, { sweepSeconds: 0, firstSweepMs: 20, runnerCheckSeconds: 0.2, owner: 'test' });
  await untilTask(embedded, free!, { state: 'done', cause: 'run_succeeded' });
  expect(engine.status().swept).toBe(false);
  expect(await deps.store.task(silent!)).toMatchObject({ state: 'ready', runNumber: 0 });
  answer();
  await vi.waitFor(() => expect(engine?.status().swept).toBe(true));
});
