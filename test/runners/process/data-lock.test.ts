/** One process per data directory, be it an agent or an app with runs of its own, and whoever was killed has it no more. */
import { spawnSync } from 'node:child_process';
import { closeSync, fstatSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lockDataDirectory } from '../../../src/runners/process/index.ts';
import { openByAgent, startTestAgent } from '../../support/agent.ts';
import { useAgentBundle, useAgentPlace } from '../../support/agent-place.ts';
import { BECOME_NOBODY, isRoot, makeOptions, NOBODY, orderOf, removeRunner } from '../../support/process-runner.ts';
import { deadline, eventually, findByWord, NASTY } from '../../support/processes.ts';
import { makeWorld } from '../../support/world.ts';

const built = useAgentBundle();

const accounts: [string, readonly string[], number | null][] = isRoot
  ? [
      ['root', [], null],
      ['an ordinary account', BECOME_NOBODY, NOBODY],
    ]
  : [['an ordinary account', [], null]];

describe.each(accounts)('as %s', (_who, prefix, owner) => {
  const place = useAgentPlace(built, { owner, prefix: () => prefix });
  const start = () => place.start();

  it('a second agent is refused and told which process has the directory, and the first goes on', async () => {
    const first = await start();
    const words = `another Standdown, process ${first.pid} on ${hostname()}, uses the data directory ${place.options.dataDir}`;
    await expect(start()).rejects.toThrow(words);
    const control = openByAgent(first.url);
    expect(await control.list()).toEqual([]);
    await control.close();
  });

  it('of some that start at once one has it', async () => {
    const started = await Promise.allSettled([start(), start(), start()]);
    expect(started.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected', 'rejected']);
  });

  it('kill -9 frees it, though a run goes on', async () => {
    for (let round = 0; round < 3; round += 1) {
      const agent = await start();
      const control = openByAgent(agent.url);
      await control.start(orderOf(`run_${round}`, [NASTY, 'plain', place.marker, deadline()]));
      await eventually(async () => expect(await control.log(`run_${round}`, 100)).toContain('ready'));
      await control.close();
      await agent.kill();
    }
    expect(findByWord(place.marker).length).toBeGreaterThanOrEqual(3);
    await start();
  });
});

describe('an app', () => {
  it('with runs of its own and an agent do not share a directory, and either may have it after the other', async () => {
    const world = await makeWorld();
    const dataDir = join(world.dir, 'data');
    const made = makeOptions('scan');
    const options = { ...made, dataDir };
    const agent = await startTestAgent(options);
    await expect(world.start()).rejects.toThrow(`process ${process.pid} on ${hostname()}, uses the data directory`);
    await agent.close(0);
    await world.start();
    await expect(startTestAgent(options)).rejects.toThrow(
      `process ${process.pid} on ${hostname()}, uses the data directory`,
    );
    await world.close();
    removeRunner(made);
  });

  it('may have several runners on one directory', async () => {
    const local = '{ kind: process, repositories: ["acme/*"] }';
    const world = await makeWorld({ operator: `runners:\n  local: ${local}\n  other: ${local}\n` });
    await world.start();
    expect(world.app().deps.runners.names()).toEqual(['local', 'other']);
    await world.close();
  });
});

it('who has it is told as far as it is known', async () => {
  const made = makeOptions('scan');
  const { dataDir } = made;
  const file = join(dataDir, 'standdown.lock');
  const unlock = await lockDataDirectory(dataDir, process.env);
  expect(readFileSync(file, 'utf8')).toBe(`${process.pid} ${hostname()}\n`);
  const gone = spawnSync('true').pid;
  for (const said of ['garb', `${gone} ${hostname()}\n`]) {
    writeFileSync(file, said);
    await expect(lockDataDirectory(dataDir, process.env)).rejects.toThrow(/^another Standdown uses the data directory/);
  }
  unlock();
  await expect(lockDataDirectory(dataDir, { PATH: '' }).then((free) => free())).resolves.toBeUndefined();
  removeRunner(made);
});

it('let go of twice it closes no other file', async () => {
  const made = makeOptions('scan');
  const unlock = await lockDataDirectory(made.dataDir, process.env);
  unlock();
  const others = Array.from({ length: 8 }, () => openSync(made.dataDir, 'r'));
  unlock();
  for (const fd of others) {
    expect(fstatSync(fd).isDirectory()).toBe(true);
    closeSync(fd);
  }
  removeRunner(made);
});

it('a flock that fails for another reason is told of as that, whatever it exits with', async () => {
  const made = makeOptions('scan');
  const flock = '#!/bin/sh\necho "flock: unrecognized option: n" >&2\necho "Usage: flock FD" >&2\nexit 1\n';
  writeFileSync(join(made.root, 'flock'), flock, { mode: 0o755 });
  await expect(lockDataDirectory(made.dataDir, { PATH: made.root })).rejects.toThrow(
    /^the data directory can't be locked: .*standdown\.lock: flock: unrecognized option: n$/,
  );
  removeRunner(made);
});
