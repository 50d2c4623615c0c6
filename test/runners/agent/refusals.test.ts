/** An agent that answers that it can't do something is not away; one that can say nothing of its runs might as well be. */
import { describe, expect, it } from 'vitest';
import { RunnerUnreachable } from '../../../src/engine/ports/runner.ts';
import { orderOf } from '../../support/process-runner.ts';
import { answering, json, type ScriptedAgent, statusAs, useScriptedAgent } from '../../support/scripted-agent.ts';

const lab = useScriptedAgent();

const refusal = (code: string, status: number) => json({ error: { code, message: 'it can not do that' } }, status);

/** Says all of its runs, and to everything else the same. */
function butFor(answer: ScriptedAgent['answer']): void {
  lab.agent.answer = (request, response) => (request.url === '/status' ? json(statusAs()) : answer)(request, response);
}

const CALLS: [string, () => Promise<unknown> | undefined][] = [
  ['a start', () => lab.control.start(orderOf('run_a', ['true']))],
  ['a cancel', () => lab.control.cancel('run_a', 'term')],
  ['a log', () => lab.control.log('run_a', 10)],
  ['letting go of a run', () => lab.control.forget?.('run_a')],
  ['removing a directory', () => lab.control.removeWorkspace?.('task_a')],
  ['the directories that there are', () => lab.control.workspaces?.()],
];

describe.each(CALLS)('%s', (_what, ask) => {
  it.each([
    ['unavailable', 503],
    ['internal', 500],
    ['bad_request', 400],
  ])('that is refused as %s got no answer, and its agent is not silent', async (code, status) => {
    butFor(refusal(code, status));
    await lab.control.inspect(['run_a']);
    const error = await ask()?.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RunnerUnreachable);
    expect((error as Error).message).toBe(`it answered ${status}: it can not do that`);
    expect(lab.control.profile.silent).toBeNull();
  });

  it.each<[string, ScriptedAgent['answer']]>([
    ['a proxy', answering(503, 'text/html', '<html>no upstream</html>')],
    ['who does not know us', refusal('unauthorized', 401)],
  ])('that is refused by %s is no answer of the agent', async (_who, answer) => {
    butFor(answer);
    await lab.control.inspect(['run_a']);
    await expect(ask()).rejects.toThrow(RunnerUnreachable);
    expect(lab.control.profile.silent?.reason).toMatch(/^it answered/);
  });

  it('that is answered ends no silence of an agent that can say nothing of its runs', async () => {
    lab.agent.answer = refusal('unavailable', 503);
    await expect(lab.control.inspect(['run_a'])).rejects.toThrow(RunnerUnreachable);
    const silent = lab.control.profile.silent;
    expect(silent?.reason).toBe('it answered 503: it can not do that');
    const all = { text: '', acknowledged: [], removed: [], task_ids: [] };
    lab.agent.answer = (request, response) => {
      if (request.url === '/runs') json({ result: 'started' })(request, response);
      else json({ result: 'accepted', ...all })(request, response);
    };
    await ask();
    expect(lab.control.profile.silent).toEqual(silent);
    lab.agent.answer = json(statusAs());
    await lab.control.inspect(['run_a']);
    expect(lab.control.profile.silent).toBeNull();
  });
});

it.each<[string, () => Promise<unknown>]>([
  ['its runs', () => lab.control.inspect(['run_a'])],
  ['which runs there are', () => lab.control.list()],
])('an agent that refuses to say %s is silent', async (_what, ask) => {
  lab.agent.answer = refusal('unavailable', 503);
  await expect(ask()).rejects.toThrow(RunnerUnreachable);
  expect(lab.control.profile.silent?.reason).toBe('it answered 503: it can not do that');
});

it('an older agent that knows nothing of directories has none, and is not silent', async () => {
  butFor(refusal('not_found', 404));
  await lab.control.inspect(['run_a']);
  expect(await lab.control.workspaces?.()).toEqual([]);
  expect(await lab.control.workspaces?.()).toEqual([]);
  expect(lab.control.profile.silent).toBeNull();
  butFor(answering(404, 'text/html', '<html>not here</html>'));
  await expect(lab.control.workspaces?.()).rejects.toThrow(RunnerUnreachable);
});
