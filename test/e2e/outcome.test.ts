/** What people are told, and what nobody is: finished runs, survivors, comments that somebody deletes, secrets. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { AppOptions } from '../../src/app/compose.ts';
import type { Probe } from '../../src/core/run.ts';
import type { JobControl, Logger } from '../../src/engine/ports.ts';
import { API_TOKEN, REPOSITORY, rest, runOf, taskOf, untilTask, WAIT } from '../support/world.ts';
import { finish, finisher, pidOf, sleeper, untilAlive } from './programs.ts';
import { outcomesOf } from './rules.ts';
import { type ClockedWorld, closeWorld, makeClockedWorld, newIssue, startTask, untilSettled } from './support.ts';

let world: ClockedWorld;

afterEach(() => closeWorld(world));

async function start(app: Partial<AppOptions>): Promise<void> {
  world = await makeClockedWorld({ app });
  await world.start();
}

/** The real runner, but for what a test replaces. */
function wrapRunner(replace: (runner: JobControl) => Partial<JobControl>): NonNullable<AppOptions['wrap']> {
  return (adapters) => {
    const get = (name: string) => {
      const runner = adapters.runners.get(name);
      return runner === null ? null : Object.assign(Object.create(runner) as JobControl, replace(runner));
    };
    return { ...adapters, runners: { ...adapters.runners, get } };
  };
}

describe('a run that had ended before its cancel was recorded', () => {
  it('had already finished: the close overturns nothing, and says so', async () => {
    const deaf = wrapRunner((runner) => ({
      onHint: () => () => {},
      start: (order) => runner.start(order),
      inspect: (ids) => runner.inspect(ids),
      cancel: (id, mode) => runner.cancel(id, mode),
    }));
    await start({ wrap: deaf, runnerCheckSeconds: 3_600 });
    const issue = newIssue(world);
    const { batch, word } = await startTask(world, issue, finisher(3));
    const pid = await pidOf(word);
    // A look at the task that is still due would see the end first.
    await untilSettled(world);
    await finish(pid);
    const runner = world.app().deps.runners.get('local');
    const { id } = (await runOf(world, batch, 'train')) ?? { id: '' };
    await expect.poll(async () => (await runner?.inspect([id]))?.get(id)?.state, WAIT).toBe('exited');
    const task = await taskOf(world, batch, 'train');
    expect(task.state).toBe('running');
    expect((await rest(world, 'POST', `/tasks/${task.id}/cancel`)).status).toBe(202);
    await untilTask(world, batch, 'train', { state: 'failed', cause: 'run_failed' });
    expect(await runOf(world, batch, 'train')).toMatchObject({ state: 'failed', exitCode: 3 });
    await untilSettled(world);
    expect(outcomesOf(world, issue.number)).toHaveLength(1);
    expect(outcomesOf(world, issue.number)[0]).toMatch(
      /As \*\*api\*\* asked:\n\n- `train`: run 1 had already finished with exit code 3; the task is \*\*failed\*\*/,
    );
  });
});

describe('a run that KILL did not end', () => {
  it('is named in the comment, which is corrected once it is gone, also if somebody deleted it meanwhile', async () => {
    let survivors: readonly number[] = [4_321];
    let ahead = 0;
    const undead = (probe: Probe): Probe => (probe.state === 'exited' ? { ...probe, survivors } : probe);
    const stubborn = wrapRunner((runner) => ({
      start: (order) => runner.start(order),
      cancel: (id, mode) => runner.cancel(id, mode),
      onHint: (listener) => runner.onHint(listener),
      async inspect(ids) {
        return new Map([...(await runner.inspect(ids))].map(([id, probe]) => [id, undead(probe)]));
      },
    }));
    await start({ wrap: stubborn, now: () => new Date(Date.now() + ahead) });
    const issue = newIssue(world);
    const { batch, word } = await startTask(world, issue, { ...sleeper(), grace_seconds: 0 });
    issue.close({ by: 'ann' });
    await untilAlive(word, 0);
    await expect.poll(async () => (await runOf(world, batch, 'train'))?.killAt ?? null, WAIT).not.toBeNull();
    expect(outcomesOf(world, issue.number)).toEqual([]);
    ahead += 61_000;
    await untilTask(world, batch, 'train', { state: 'blocked', cause: 'survivors' });
    await expect.poll(() => outcomesOf(world, issue.number).length, WAIT).toBe(1);
    expect(outcomesOf(world, issue.number)[0]).toMatch(/process 4321 survived\. It has \*\*not\*\* stopped/);

    const comments = world.github.comments(REPOSITORY, issue.number);
    const comment = comments.find(({ body }) => body.startsWith('<!-- standdown:outcome '));
    issue.deleteComment(comment?.id ?? 0, { by: 'ann' });
    survivors = [];
    ahead += 10_000;
    await untilTask(world, batch, 'train', { state: 'done', cause: 'issue_completed' });
    await untilSettled(world);
    expect(outcomesOf(world, issue.number)).toHaveLength(1);
    expect(outcomesOf(world, issue.number)[0]).toMatch(/run 1 was stopped \((TERM, then )?KILL, gone after/);
  });
});

describe('secrets', () => {
  it("reach neither a run's environment, nor a log, a record or a comment", async () => {
    const lines: string[] = [];
    const write = (...words: unknown[]) => void lines.push(JSON.stringify(words, withErrors));
    const log: Logger = { debug: write, info: write, warn: write, error: write };
    world = await makeClockedWorld();
    const env = { ...process.env, ...world.env, GITHUB_TOKEN: 'ghp_a_token_that_is_nobodys_business' };
    await world.start({ log, env });
    const secrets = [
      world.github.webhookSecret,
      API_TOKEN,
      env.GITHUB_TOKEN,
      ...world.github.privateKey.split('\n').filter((line) => line.length > 20),
    ];
    const issue = newIssue(world);
    const word = sleeper().word;
    const run = ['sh', '-c', `env; cat /proc/$PPID/environ | tr '\\0' '\\n'; sleep 300; : ${word}`];
    const { batch } = await startTask(world, issue, { word, run });
    world.github.faults.add({ kind: 'answer', status: 500, method: 'POST', path: /comments$/, times: 1 });
    issue.close({ by: 'ann' });
    const task = await untilTask(world, batch, 'train', { state: 'done' });
    await untilSettled(world);
    const output = String((await rest(world, 'GET', `/tasks/${task.id}/log`)).body);
    expect(output).toContain('STANDDOWN_RUN_NUMBER=1');
    const texts = { output, log: lines.join('\n'), comment: outcomesOf(world, issue.number).join('\n'), records: '' };
    const database = dirname(String(world.env.DATABASE_URL).slice('file:'.length));
    const files = [...filesBelow(join(world.dir, 'data')), ...filesBelow(database)];
    expect(files.map((file) => basename(file))).toContain('test.db');
    texts.records = files.map((file) => readFileSync(file, 'latin1')).join('\n');
    expect(texts.log.length).toBeGreaterThan(0);
    for (const [where, text] of Object.entries(texts)) {
      const found = secrets.filter((secret) => text.includes(secret) || text.includes(JSON.stringify(secret)));
      expect({ where, found: found.length }).toEqual({ where, found: 0 });
    }
    expect(output).not.toMatch(/PRIVATE_KEY|WEBHOOK_SECRET|STANDDOWN_API_TOKEN|DATABASE_URL|GITHUB_TOKEN/);
    expect(texts.log).not.toMatch(/gh[a-z]_\w{10}/);
  });
});

function filesBelow(dir: string): string[] {
  const entries = readdirSync(dir, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

function withErrors(_key: string, value: unknown): unknown {
  return value instanceof Error ? { ...value, message: value.message, stack: value.stack, cause: value.cause } : value;
}
