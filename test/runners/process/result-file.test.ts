/** The file in which a run says what came of it: its account's own, and harmless whatever its program makes of it. */
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Probe } from '../../../src/core/run.ts';
import type { JobControl } from '../../../src/engine/ports/runner.ts';
import {
  BECOME_NOBODY,
  isRoot,
  LEVELS,
  makeOptions,
  NOBODY,
  open,
  orderOf,
  type RunnerOptions,
  removeRunner,
} from '../../support/process-runner.ts';
import { endByWord, eventually, makeMarker, removeDirectory } from '../../support/processes.ts';
import { bundleHost, openHost } from '../../support/runner-host.ts';

const FAILED = '{"result":"failed","reason":"transport"}';
const UNDERSTOOD = { result: 'failed', reason: 'transport', until: null, problem: null };
const SAYS_SO = `printf '%s' '${FAILED}' >"$STANDDOWN_RESULT_FILE"`;

let options: RunnerOptions;
let control: JobControl;

const results = (...path: string[]) => join(options.dataDir, 'results', ...path);
const notUnderstood = (problem: unknown) => ({ result: null, reason: null, until: null, problem });

async function ended(runId: string, by: JobControl = control): Promise<Extract<Probe, { state: 'exited' }>> {
  return eventually(async () => {
    const probe = (await by.inspect([runId])).get(runId);
    if (probe?.state !== 'exited') throw new Error(`still ${JSON.stringify(probe)}`);
    return probe;
  });
}

async function run(script: string, runId = 'run_a'): Promise<Extract<Probe, { state: 'exited' }>> {
  expect(await control.start(orderOf(runId, ['sh', '-c', script]))).toEqual({ result: 'started' });
  return ended(runId);
}

describe('a program that may do as the app does', () => {
  beforeEach(async () => {
    options = makeOptions('scan');
    control = await open(options);
  });
  afterEach(async () => {
    await control.close();
    removeRunner(options);
  });

  const FILE = '"$STANDDOWN_RESULT_FILE"';
  it.each([
    ['a pipe that nobody writes to', `rm ${FILE}; mkfifo ${FILE}`, 'is no regular file'],
    ['a directory', `rm ${FILE}; mkdir ${FILE}; echo x >${FILE}/full`, 'is no regular file'],
    ['a link to what only the app may read', `ln -sf /etc/shadow ${FILE}`, 'is no regular file'],
    ['a link to what never ends', `ln -sf /dev/zero ${FILE}`, 'is no regular file'],
    ['a link to itself', `rm ${FILE}; ln -s ${FILE} ${FILE}`, 'is no regular file'],
    [
      'a socket',
      `perl -MIO::Socket::UNIX -e 'unlink $ARGV[0]; IO::Socket::UNIX->new(Local => "x", Listen => 1); rename "x", $ARGV[0]' ${FILE}`,
      'is no regular file',
    ],
    ['a file of a terabyte', `truncate -s 1T ${FILE}`, 'has more than 65536 bytes'],
    ['a byte too much', `head -c 65537 /dev/zero | tr '\\0' ' ' >${FILE}`, 'has more than 65536 bytes'],
    ['what is no text', `head -c 4096 /dev/urandom >${FILE}`, 'must be a JSON object'],
    ['nothing but brackets', `perl -e 'print "[" x 65536' >${FILE}`, 'must be a JSON object'],
  ])('puts %s in its place: that is said, and the other runs are told of', async (_, script, problem) => {
    await run(SAYS_SO, 'run_b');
    const { exitCode, said } = await run(`${script} && exit 4`);
    expect({ exitCode, said }).toEqual({ exitCode: 4, said: notUnderstood(problem) });
    const probes = await control.inspect(['run_a', 'run_b']);
    expect([...probes.values()]).toMatchObject([{ state: 'exited' }, { state: 'exited', said: UNDERSTOOD }]);
    expect(await control.forget?.('run_a')).toBe(true);
    expect(readdirSync(results())).toEqual(['run_b']);
    expect(existsSync('/etc/shadow') && existsSync('/dev/zero')).toBe(true);
  });

  it('fills it to the brim: that is read to its last byte', async () => {
    const pads = `${SAYS_SO}; head -c ${65_536 - FAILED.length} /dev/zero | tr '\\0' ' ' >>${FILE}`;
    expect((await run(pads)).said).toEqual(UNDERSTOOD);
    expect(statSync(results('run_a')).size).toBe(65_536);
  });

  it('puts something in the place of a run to come: it starts, and what it says is not understood', async () => {
    await run(`mkfifo "$(dirname ${FILE})/run_b"; ln -s ${join(options.root, 'file')} "$(dirname ${FILE})/run_c"`);
    expect((await run('exit 3', 'run_b')).said).toEqual(notUnderstood('is no regular file'));
    expect((await run('exit 3', 'run_c')).said).toEqual(notUnderstood('is no regular file'));
    expect(readFileSync(join(options.root, 'file'), 'utf8')).toBe('');
  });

  it('takes the place of all results away: the next run has its own again', async () => {
    await run('rm -rf "$(dirname "$STANDDOWN_RESULT_FILE")"');
    expect(await ended('run_a')).not.toHaveProperty('said');
    expect((await run(SAYS_SO, 'run_b')).said).toEqual(UNDERSTOOD);
    expect(statSync(results()).mode & 0o777).toBe(0o711);
  });

  it('is not let work among the results', async () => {
    const within = { ...options, root: options.dataDir };
    const wider = await open(within);
    const asked = orderOf('run_a', ['true'], { workingDirectory: 'results' });
    expect(await wider.start(asked)).toEqual({
      result: 'refused',
      reason: 'working_directory "results" leads to the results of runs',
    });
    await wider.close();
  });

  it('can not choose where the file is said to be', async () => {
    const env = { STANDDOWN_RESULT_FILE: join(options.root, 'file') };
    await control.start(orderOf('run_a', ['sh', '-c', SAYS_SO], { env }));
    expect((await ended('run_a')).said).toEqual(UNDERSTOOD);
    expect(readFileSync(join(options.root, 'file'), 'utf8')).toBe('');
  });
});

describe('what is left of runs', () => {
  beforeEach(async () => {
    options = makeOptions('scan');
    control = await open(options);
  });
  afterEach(async () => {
    await control.close();
    removeRunner(options);
  });

  it('that said nothing before there was such a file is no problem', async () => {
    await run(SAYS_SO);
    rmSync(results(), { recursive: true });
    expect(await ended('run_a')).not.toHaveProperty('said');
    expect(await control.forget?.('run_a')).toBe(true);
  });

  it('that are not known any more goes at the next start, and no more than that', async () => {
    const outside = join(dirname(options.dataDir), 'outside');
    mkdirSync(outside);
    writeFileSync(join(outside, 'precious'), '');
    await run(SAYS_SO);
    await control.close();
    writeFileSync(results('run_forgotten'), FAILED);
    mkdirSync(results('run_strange', 'deep'), { recursive: true });
    symlinkSync(outside, results('run_link'));
    control = await open(options);
    expect(readdirSync(results())).toEqual(['run_a']);
    expect((await ended('run_a')).said).toEqual(UNDERSTOOD);
    expect(existsSync(join(outside, 'precious'))).toBe(true);
  });

  it('is no part of a run that a cancel kept from starting', async () => {
    await control.cancel('run_a', 'void');
    await control.start(orderOf('run_a', ['sh', '-c', SAYS_SO]));
    expect((await control.inspect(['run_a'])).get('run_a')).toEqual({ state: 'voided' });
    expect(readdirSync(results())).toEqual([]);
  });
});

describe('an app that is not root', () => {
  let dir: string;
  beforeAll(async () => {
    dir = await bundleHost();
  });
  afterAll(() => removeDirectory(dir));

  it('is told what it may not read, and goes on', async () => {
    options = makeOptions('scan', isRoot ? NOBODY : null);
    const host = await openHost({ dir, prefix: isRoot ? BECOME_NOBODY : [], runner: options });
    try {
      await host.control.start(orderOf('run_a', ['sh', '-c', `${SAYS_SO}; chmod 0 "$STANDDOWN_RESULT_FILE"`]));
      expect((await ended('run_a', host.control)).said).toEqual(notUnderstood("can't be read: EACCES"));
      await host.control.start(orderOf('run_b', ['sh', '-c', SAYS_SO]));
      expect((await ended('run_b', host.control)).said).toEqual(UNDERSTOOD);
    } finally {
      await host.control.close();
      removeRunner(options);
    }
  });
});

if (isRoot) {
  describe.each(LEVELS)('under another account, at the level %s', (level) => {
    let marker: string;
    beforeEach(async () => {
      marker = makeMarker();
      options = { ...makeOptions(level), user: 'nobody' };
      control = await open(options);
    });
    afterEach(async () => {
      endByWord(marker);
      await control.close();
      removeRunner(options);
    });

    it('is that account’s own, and nothing beside it can be made, listed or taken away', async () => {
      const script = [
        SAYS_SO,
        'cd "$(dirname "$STANDDOWN_RESULT_FILE")"',
        'rm -f run_a',
        'ls',
        'echo x >beside',
        'ln -sf /etc/shadow run_a',
      ].join('; ');
      const { said } = await run(script);
      expect(said).toEqual(UNDERSTOOD);
      expect((await control.log('run_a', 1000)).match(/Permission denied/g)).toHaveLength(4);
      const { uid, gid, mode } = lstatSync(results('run_a'));
      expect({ uid, gid, mode: mode & 0o777 }).toEqual({ uid: NOBODY, gid: NOBODY, mode: 0o600 });
      expect(readdirSync(results())).toEqual(['run_a']);
    });

    it('is there also after a start that was cut short before the file was given to it', async () => {
      mkdirSync(join(options.dataDir, 'runs', 'run_a'), { mode: 0o700 });
      writeFileSync(results('run_a'), '', { mode: 0o600 });
      expect((await run(SAYS_SO)).said).toEqual(UNDERSTOOD);
    });

    it('is written as before while the app is gone, and after it is back', async () => {
      const go = join(options.root, 'go');
      const script = `echo ready; until [ -e ${go} ]; do sleep 0.02; done; ${SAYS_SO}`;
      await control.start(orderOf('run_a', ['sh', '-c', script, marker]));
      await control.close();
      control = await open(options);
      writeFileSync(go, '');
      expect((await ended('run_a')).said).toEqual(UNDERSTOOD);
    });
  });

  it('an account that can not get to the results is refused at once', async () => {
    options = { ...makeOptions('scan'), user: 'nobody' };
    await (await open(options)).close();
    chmodSync(results(), 0o700);
    await expect(open(options)).rejects.toThrow(/account "nobody" can't enter .*results/);
    removeRunner(options);
  });
}
