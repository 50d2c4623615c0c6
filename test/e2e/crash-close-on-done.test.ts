/** A run ends and its issue is closed for it: `kill -9` at every step neither forgets the close nor repeats or misreads it. */
import { expect, it } from 'vitest';
import type { CaseDocument } from '../support/crash-case.ts';
import { useCrashWalk } from '../support/crash-walk.ts';
import { REPOSITORY } from '../support/world.ts';
import { finish, pidOf } from './programs.ts';

const walk = useCrashWalk();

/** Ends well when it is sent USR1. */
const ENDS_WELL: CaseDocument = ({ issue, marker }) => ({
  tasks: { work: { issue, run: ['perl', '-e', '$SIG{USR1} = sub { exit 0 }; sleep 1 while 1', marker] } },
});

it('kill -9 before and after each step of an end closes its issue once, and nothing takes that for a person’s close', {
  timeout: 900_000,
}, async () => {
  const text = 'policy: { close_issue_on_done: true }\n';
  walk.github().pushFile(REPOSITORY, { by: 'ann', path: '.github/standdown.yml', text });
  const deaths = await walk.walk(async (step) => {
    const it = await walk.submitCase(ENDS_WELL);
    await walk.untilRunning(it, 1);
    const issue = () => walk.github().findIssue(REPOSITORY, it.issue);
    const end = async () => finish(await pidOf(it.marker));
    const isClosed = async () => issue()?.state === 'closed' && (await walk.countOf(it, 'ISSUE_CLOSED')) > 0;
    const died = await walk.dieDuring(step, end, isClosed);
    await walk.untilTask(it, { state: 'done', cause: 'run_succeeded', runs: [{ number: 1, state: 'succeeded' }] });
    await expect.poll(isClosed, { timeout: 40_000 }).toBe(true);
    await walk.untilQuiet();
    expect(issue()?.events.filter(({ event }) => event === 'closed')).toHaveLength(1);
    expect(await walk.countOf(it, 'TASK_DONE')).toBe(1);
    expect(await walk.countOf(it, 'ISSUE_CLOSED')).toBe(1);
    expect(await walk.countOf(it, 'RECONCILIATION_TASK_SKIPPED')).toBe(0);
    return died;
  });
  expect(deaths).toBeGreaterThan(20);
});
