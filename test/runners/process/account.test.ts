/** Runs under another account: out of reach of the app's records, and unable to reach back through what they may choose. */
import { chmodSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { StartOrder } from '../../../src/engine/ports/runner.ts';
import {
  BECOME_NOBODY,
  isRoot,
  LEVELS,
  type Level,
  makeOptions,
  NOBODY,
  open,
  orderOf,
  type RunnerOptions,
  removeRunner,
} from '../../support/process-runner.ts';
import {
  deadline,
  endByWord,
  eventually,
  expectGone,
  makeMarker,
  NASTY,
  removeDirectory,
  waitUntilGone,
} from '../../support/processes.ts';
import { bundleHost, openHost } from '../../support/runner-host.ts';

let options: RunnerOptions;
afterEach(() => removeRunner(options));

it('an account that does not exist is one clear error', async () => {
  options = { ...makeOptions('scan'), user: 'no-such-account' };
  await expect(open(options)).rejects.toThrow('runner local: user: there is no account "no-such-account"');
});

if (isRoot) {
  it('an app that is not root is told what another account needs', async () => {
    options = { ...makeOptions('scan', NOBODY), user: 'daemon' };
    const dir = await bundleHost();
    const opening = openHost({ dir, prefix: BECOME_NOBODY, runner: options });
    await expect(opening).rejects.toThrow(/runner local: user: "daemon" needs the app to run as root/);
    removeDirectory(dir);
  });

  it('a data directory that the account can not enter is refused at once', async () => {
    options = { ...makeOptions('scan'), user: 'nobody' };
    chmodSync(dirname(options.dataDir), 0o700);
    await expect(open(options)).rejects.toThrow(/account "nobody" can't enter/);
  });

  it('a data directory made under umask 077 lets the account through to its tasks and results, and nowhere else', async () => {
    options = { ...makeOptions('scan'), user: 'nobody' };
    rmSync(options.dataDir, { recursive: true });
    const before = process.umask(0o077);
    try {
      await (await open(options)).close();
    } finally {
      process.umask(before);
    }
    const mode = (...path: string[]) => statSync(join(options.dataDir, ...path)).mode & 0o777;
    expect([mode(), mode('tasks'), mode('results'), mode('runs')]).toEqual([0o711, 0o711, 0o711, 0o700]);
  });

  describe.each(LEVELS)('at the level %s', (level) => {
    it('the program is that account, in its own directory, with its home', async () => {
      const { exitCode, log } = await runAsNobody(level, [
        'sh',
        '-c',
        'id -u; id -G; echo $HOME; touch here && echo kept',
      ]);
      expect(log).toBe('65534\n65534\n/nonexistent\nkept\n');
      expect(exitCode).toBe(0);
    });

    it('the records of runs are out of its reach, its output is not', async () => {
      const script =
        'ls ../../runs; cat "../../runs/run_a/claim"; echo x >../../runs/run_a/exit; echo through >/dev/stdout';
      const { log } = await runAsNobody(level, ['sh', '-c', script]);
      expect(log.match(/Permission denied/g)).toHaveLength(3);
      expect(log).toMatch(/^through$/m);
    });

    it('no variable that a template chooses acts on a process of root', async () => {
      const env = { LD_PRELOAD: '/nowhere.so', PATH: '/usr/bin:/bin', IFS: 'x', ENV: '/nowhere', BASH_ENV: '/nowhere' };
      const { log } = await runAsNobody(level, ['sh', '-c', 'echo done'], { env });
      // The dynamic linker complains once for each program that has it: the run's own, and no other.
      expect(log.match(/nowhere\.so/g)).toHaveLength(1);
      expect(log).toContain('done');
      expect(readFileSync(join(options.dataDir, 'runs', 'run_a', 'supervisor.log'), 'utf8')).toBe('');
    });

    it('a cancel reaches all that it started', async () => {
      const marker = makeMarker();
      options = { ...makeOptions(level), user: 'nobody' };
      const control = await open(options);
      try {
        await control.start(orderOf('run_a', [NASTY, 'own_session', marker, deadline()]));
        await eventually(async () => expect(await control.log('run_a', 100)).toContain('ready'));
        expect(await control.cancel('run_a', 'kill')).toBe('accepted');
        await waitUntilGone(marker);
        expectGone(marker);
        expect((await control.inspect(['run_a'])).get('run_a')).toMatchObject({ state: 'exited', signal: 'KILL' });
      } finally {
        endByWord(marker);
        await control.close();
      }
    });
  });
}

async function runAsNobody(level: Level, argv: readonly string[], more: Partial<StartOrder> = {}) {
  options = { ...makeOptions(level), user: 'nobody' };
  const control = await open(options);
  try {
    expect(await control.start(orderOf('run_a', argv, more))).toEqual({ result: 'started' });
    return await eventually(async () => {
      const probe = (await control.inspect(['run_a'])).get('run_a');
      if (probe?.state !== 'exited') throw new Error(`still ${probe?.state}`);
      return { exitCode: probe.exitCode, log: await control.log('run_a', 10_000) };
    });
  } finally {
    await control.close();
  }
}
