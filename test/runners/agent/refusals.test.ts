/** An agent that answers that it can't do something is not away; one that can say nothing of its runs might as well be. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type JobControl, RunnerUnreachable } from '../../../src/engine/ports/runner.ts';
import { openByAgent } from '../../support/agent.ts';
import { orderOf } from '../../support/process-runner.ts';
import { answering, json, type ScriptedAgent, startScriptedAgent, statusAs } from '../../support/scripted-agent.ts';

let agent: ScriptedAgent;
let control: JobControl;

beforeEach(async () => {
  agent = await startScriptedAgent();
  control = openByAgent(agent.url, { answerMs: 500 });
});

afterEach(async () => {
  await control.close();
  await agent.close();
});

const refusal = (code: string, status: number) => json({ error: { code, message: 'it can not do that' } }, status);

/** Says all of its runs, and to everything else the same. */
function butFor(answer: ScriptedAgent['answer']): void {
  agent.answer = (request, response) => (request.url === '/status' ? json(statusAs()) : answer)(request, response);
}

const CALLS: [string, () => Promise<unknown> | undefined][] = [
  ['a start', () => control.start(orderOf('run_a', ['true']))],
  ['a cancel', () => control.cancel('run_a', 'term')],
  ['a log', () => control.log('run_a', 10)],
  ['letting go of a run', () => control.forget?.('run_a')],
  ['removing a directory', () => control.removeWorkspace?.('task_a')],
  ['the directories that there are', () => control.workspaces?.()],
];

describe.each(CALLS)('%s', (_what, ask) => {
  it.each([
    ['unavailable', 503],
    ['internal', 500],
    ['bad_request', 400],
  ])('that is refused as %s got no answer, and its agent is not silent', async (code, status) => {
    butFor(refusal(code, status));
    await control.inspect(['run_a']);
    const error = await ask()?.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RunnerUnreachable);
    expect((error as Error).message).toBe(`it answered ${status}: it can not do that`);
    expect(control.profile.silent).toBeNull();
  });

  it.each<[string, ScriptedAgent['answer']]>([
    ['a proxy', answering(503, 'text/html', '<html>no upstream</html>')],
    ['who does not know us', refusal('unauthorized', 401)],
  ])('that is refused by %s is no answer of the agent', async (_who, answer) => {
    butFor(answer);
    await control.inspect(['run_a']);
    await expect(ask()).rejects.toThrow(RunnerUnreachable);
    expect(control.profile.silent?.reason).toMatch(/^it answered/);
  });

  it('that is answered ends no silence of an agent that can say nothing of its runs', async () => {
    agent.answer = refusal('unavailable', 503);
    await expect(control.inspect(['run_a'])).rejects.toThrow(RunnerUnreachable);
    const silent = control.profile.silent;
    expect(silent?.reason).toBe('it answered 503: it can not do that');
    const all = { text: '', acknowledged: [], removed: [], task_ids: [] };
    agent.answer = (request, response) => {
      if (request.url === '/runs') json({ result: 'started' })(request, response);
      else json({ result: 'accepted', ...all })(request, response);
    };
    await ask();
    expect(control.profile.silent).toEqual(silent);
    agent.answer = json(statusAs());
    await control.inspect(['run_a']);
    expect(control.profile.silent).toBeNull();
  });
});

it.each<[string, () => Promise<unknown>]>([
  ['its runs', () => control.inspect(['run_a'])],
  ['which runs there are', () => control.list()],
])('an agent that refuses to say %s is silent', async (_what, ask) => {
  agent.answer = refusal('unavailable', 503);
  await expect(ask()).rejects.toThrow(RunnerUnreachable);
  expect(control.profile.silent?.reason).toBe('it answered 503: it can not do that');
});

it('an older agent that knows nothing of directories has none, and is not silent', async () => {
  butFor(refusal('not_found', 404));
  await control.inspect(['run_a']);
  expect(await control.workspaces?.()).toEqual([]);
  expect(await control.workspaces?.()).toEqual([]);
  expect(control.profile.silent).toBeNull();
  butFor(answering(404, 'text/html', '<html>not here</html>'));
  await expect(control.workspaces?.()).rejects.toThrow(RunnerUnreachable);
});
