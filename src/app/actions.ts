/** What REST may ask for, carried out by the engine's use cases. */
import { ATTENDED } from '../core/attended.ts';
import { type Problem, parseBatchDocument } from '../core/documents/index.ts';
import type { HoldScope } from '../core/hold.ts';
import { act, linkTask } from '../engine/act.ts';
import { type Claims, endAttended, followAttended } from '../engine/attend/index.ts';
import { cancelBatch, holdBatch, releaseBatch, resumeBatch } from '../engine/batch-orders.ts';
import type { Deps } from '../engine/deps.ts';
import { explainIssue } from '../engine/explain.ts';
import { releaseHold, setHold } from '../engine/holds.ts';
import { repositoryOf } from '../engine/read-issue.ts';
import { readKeptLog } from '../engine/retention/index.ts';
import { silenceOf } from '../engine/silence.ts';
import { submitBatch } from '../engine/submit-batch.ts';
import { lookAtPlanned, lookAtTasks } from '../engine/why.ts';
import { placeOfSelf, seesAll } from '../runners/process/attended/sight.ts';
import type { Actions, HoldRequest, Insights } from '../web/index.ts';

/** What only a running engine does. */
export interface EngineActions {
  requestSweep(): Promise<void>;
  claim: Claims['claim'];
}

export function makeActions(deps: Deps, { requestSweep, claim }: EngineActions): Actions {
  const { store, runners, clock } = deps;
  return {
    async submitBatch(document, options) {
      const parsed = parseBatchDocument(document);
      if (!parsed.ok) return { result: 'invalid', problems: parsed.problems };
      const answer = await submitBatch(deps, parsed.value, options);
      if (!('tasks' in answer)) return answer;
      return { ...answer, repository: await repositoryOf(deps, answer.batch.repositoryId) };
    },
    cancelBatch: (id, input) => cancelBatch(deps, id, { ...input, cause: 'api' }),
    resumeBatch: (id, input) => resumeBatch(deps, id, { ...input, cause: 'api' }),
    holdBatch: (id, input) => holdBatch(deps, id, input),
    releaseBatch: (id, input) => releaseBatch(deps, id, input),
    async setHold(request, input) {
      const found = await scopeOf(deps, request);
      if ('problem' in found) return { result: 'unknown', problem: found.problem };
      return { result: 'held', hold: await setHold(deps, found.scope, input) };
    },
    async releaseHold(request, input) {
      const found = await scopeOf(deps, request);
      // The hold of a runner that is not configured any more can still be let go of.
      const scope = 'scope' in found ? found.scope : request.scope === 'runner' ? runnerScope(request.runner) : null;
      if (scope !== null && (await releaseHold(deps, scope, input))) return { result: 'released' };
      return 'problem' in found ? { result: 'unknown', problem: found.problem } : { result: 'none' };
    },
    act: (taskId, verb, input) => act(deps, taskId, verb, { ...input, cause: 'api' }),
    link: (taskId, issueNumber, actor) => linkTask(deps, taskId, issueNumber, { actor }),
    unlink: (taskId, actor) => linkTask(deps, taskId, null, { actor }),
    attend: (taskId, { session, attendant }, ended) =>
      claim(taskId, { session, attendant, isVisible: seesAll(attendant, placeOfSelf()) }, ended),
    followAttended: (session, wait) => followAttended(deps, session, wait),
    endAttended: (session, { agoMs, ...end }) =>
      // Two machines' clocks differ: how long ago it was, they agree on.
      endAttended(deps, session, { ...end, at: new Date(clock().getTime() - agoMs) }),
    sweep: requestSweep,
    async taskLog(taskId, bytes) {
      if ((await store.task(taskId)) === null) return null;
      const run = await store.newestRun(taskId);
      const runner = run === null ? null : runners.get(run.runner);
      if (run === null || runner === null) return '';
      const log = await readKeptLog(deps, runner, run, bytes);
      return 'text' in log ? log.text : `[standdown: the log of run ${run.number} ${log.gone}]\n`;
    },
  };
}

/** Why things are as they are, told by the engine. */
export function makeInsights(deps: Deps): Insights {
  return {
    lookAtTasks: (tasks) => lookAtTasks(deps, tasks),
    lookAtPlanned: (batch, tasks) => lookAtPlanned(deps, batch, tasks),
    explainIssue: (repository, number) => explainIssue(deps, repository, number),
    silentSince: (runner) => silenceOf(deps, runner)?.since ?? null,
  };
}

async function scopeOf(
  { store, runners }: Deps,
  request: HoldRequest,
): Promise<{ scope: HoldScope } | { problem: Problem }> {
  switch (request.scope) {
    case 'all':
      return { scope: { kind: 'all' } };
    case 'repository': {
      const repository = await store.repositoryByName(request.repository);
      if (repository !== null) return { scope: { kind: 'repository', repositoryId: repository.id } };
      const message = `must be a repository that has had a batch here, not ${JSON.stringify(request.repository)}`;
      return { problem: { path: 'repository', message } };
    }
    case 'runner': {
      const names = [...runners.names(), ATTENDED];
      if (names.includes(request.runner)) return { scope: runnerScope(request.runner) };
      const message = `must be the name of a runner, not ${JSON.stringify(request.runner)}; there is: ${names.join(', ')}`;
      return { problem: { path: 'runner', message } };
    }
  }
}

function runnerScope(runner: string): HoldScope {
  return { kind: 'runner', runner };
}
