/** Reopens that no webhook told of, of tasks that had ended by themselves. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DEFAULT_POLICY, type Deps, sweep } from '../../../src/engine/index.ts';
import { issueKey } from '../../../src/engine/keys.ts';
import { makeChecker } from '../../fixtures/engine/checker.ts';
import { type Embedded, embed, REPOSITORY, submit, untilTask } from '../../fixtures/engine/embedded.ts';
import { makeLister } from '../../fixtures/engine/lister.ts';
import { eventually } from '../../support/processes.ts';

const REF = { repositoryId: REPOSITORY.id, number: 12 };

describe.each([
  ['that lists', makeLister],
  ['that can only be asked issue by issue', makeChecker],
])('on a GitHub %s', (_, makeGitHub) => {
  let github: ReturnType<typeof makeGitHub>;
  let embedded: Embedded;

  beforeEach(async () => {
    github = makeGitHub();
    github.set(12, {});
    embedded = await embed(github);
  });
  afterEach(() => embedded.close());

  /** As a webhook of it would. */
  async function tellOfIssue({ store }: Deps): Promise<void> {
    const { version } = (await store.issue(REF))!;
    await store.commit([
      { write: 'issue.update', ref: REF, version, set: { readDue: true } },
      { write: 'work.enqueue', key: issueKey(REF), dueAt: new Date() },
    ]);
    await eventually(async () => expect(await store.issue(REF)).toMatchObject({ state: 'closed', readDue: false }));
  }

  it.each([
    ['requeue_unsuccessful', 'false', 'failed'],
    ['requeue_all', 'true', 'done'],
  ] as const)('a sweep finds one under `on_reopen: %s`', async (onReopen, program, state) => {
    const { deps } = embedded;
    deps.policyOf = async () => ({ ...DEFAULT_POLICY, onReopen });
    await embedded.start();
    const [id] = await submit(embedded, { train: { run: [program], issue: 12 } });
    await untilTask(embedded, id!, { state });
    github.set(12, { state: 'closed', reason: 'not_planned' });
    await tellOfIssue(deps);
    github.set(12, { state: 'open', reason: 'unknown', closedAt: null });
    await sweep(deps);
    await untilTask(embedded, id!, { runNumber: 2 });
  });
});
