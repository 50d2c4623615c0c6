/**
 * What every runner owes the engine, asked of real processes. An adapter opens itself in `open`; what it can't do by its nature
 * is told by `abilities`.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Probe } from '../../src/core/run.ts';
import { type JobControl, RunnerUnreachable, type StartOrder } from '../../src/engine/ports/runner.ts';
import {
  deadline,
  endAtOnce,
  endByWord,
  eventually,
  expectGone,
  makeMarker,
  NASTY,
  waitUntilGone,
} from '../support/processes.ts';

export interface OpenedJobControl {
  control: JobControl;
  /** A directory below the runner's root that exists, as a path from the root. */
  directory: string;
  /** Names that point out of the root. */
  escapes: readonly string[];
  /** A variable that the app has, and one of those that may be passed on with its value. */
  secret: string;
  passed: { name: string; value: string };
  /** The same runner, ended as a crash would where it has a process of its own, and opened again. */
  restart(): Promise<JobControl>;
  /** Nothing can be asked of it until the function that this gives is called. */
  cutOff(): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

export function describeJobControl(name: string, open: () => Promise<OpenedJobControl>): void {
  describe(`job control: ${name}`, () => {
    let opened: OpenedJobControl;
    let control: JobControl;
    let marker: string;
    let orders = 0;

    beforeAll(async () => {
      opened = await open();
      control = opened.control;
    });
    afterAll(() => opened.close());
    beforeEach(() => {
      marker = makeMarker();
    });
    afterEach(() => endByWord(marker));

    function order(argv: readonly string[], more: Partial<StartOrder> = {}): StartOrder {
      orders += 1;
      const runId = `run_${process.pid}_${orders}`;
      return { runId, taskId: 'task_1', argv, env: {}, envFrom: [], workingDirectory: null, ...more };
    }

    async function started(argv: readonly string[], more: Partial<StartOrder> = {}): Promise<string> {
      const asked = order(argv, more);
      expect(await control.start(asked)).toEqual({ result: 'started' });
      return asked.runId;
    }

    async function probe(runId: string): Promise<Probe> {
      const found = (await control.inspect([runId])).get(runId);
      if (found === undefined) throw new Error(`no answer for ${runId}`);
      return found;
    }

    async function exit(runId: string): Promise<Extract<Probe, { state: 'exited' }>> {
      return eventually(async () => {
        const found = await probe(runId);
        if (found.state !== 'exited') throw new Error(`still ${JSON.stringify(found)}`);
        return found;
      });
    }

    async function output(runId: string, part: string | RegExp): Promise<string> {
      return eventually(async () => {
        const text = await control.log(runId, 100_000);
        expect(text).toMatch(part);
        return text;
      });
    }

    describe('a start', () => {
      it('runs the program to its end and keeps its exit code', async () => {
        for (const code of [0, 1, 7, 126, 127, 130, 137, 143, 200, 255]) {
          const runId = await started(['sh', '-c', `exit ${code}`]);
          const seen = await exit(runId);
          expect({ code, survivors: seen.survivors }).toEqual({ code, survivors: [] });
          // 128+n is what a shell makes of a signal: where it can't be told apart, the signal is named.
          if (seen.exitCode === null) expect([130, 137, 143]).toContain(code);
          else expect(seen.exitCode).toBe(code);
        }
      });

      it('names the signal that the program died of', async () => {
        for (const signal of ['TERM', 'KILL', 'INT', 'HUP', 'USR1']) {
          const runId = await started(['sh', '-c', `kill -${signal} $$`]);
          expect(await exit(runId)).toMatchObject({ exitCode: null, signal });
        }
      });

      it('tells when it began and when it ended', async () => {
        const before = Date.now() - 1;
        const runId = await started(['true']);
        const { startedAt, endedAt } = await exit(runId);
        expect(startedAt?.getTime()).toBeGreaterThanOrEqual(before);
        expect(endedAt.getTime()).toBeGreaterThanOrEqual(startedAt?.getTime() ?? Number.POSITIVE_INFINITY);
        expect(endedAt.getTime()).toBeLessThanOrEqual(Date.now());
      });

      it('is heard of by a hint when the run ends', async () => {
        const heard: string[] = [];
        const off = control.onHint((runId) => heard.push(runId));
        const runId = await started(['true']);
        await eventually(() => expect(heard).toContain(runId));
        off();
      });

      it('starts once, however often and at the same time it is asked for', async () => {
        const asked = order([NASTY, 'plain', marker, deadline()]);
        const results = await Promise.all([1, 2, 3].map(() => control.start(asked)));
        expect(results).toEqual([1, 2, 3].map(() => ({ result: 'started' })));
        await output(asked.runId, 'ready');
        expect(await control.start(asked)).toEqual({ result: 'started' });
        expect((await control.log(asked.runId, 1000)).match(/ready/g)).toHaveLength(1);
        await control.cancel(asked.runId, 'kill');
        await exit(asked.runId);
        await waitUntilGone(marker);
        expect(await control.start(asked)).toEqual({ result: 'started' });
        expectGone(marker, 3);
      });

      it('refuses a program that is not there or can not be run, and says which', async () => {
        const missing = await control.start(order(['no-such-program-here']));
        expect(missing).toMatchObject({ result: 'refused', reason: expect.stringContaining('no-such-program-here') });
        expect(await control.start(order(['/etc/passwd']))).toMatchObject({ result: 'refused' });
        expect(await control.start(order(['/etc']))).toMatchObject({ result: 'refused' });
        expect(await control.start(order([]))).toMatchObject({ result: 'refused' });
        expect(await control.start(order(['']))).toMatchObject({ result: 'refused' });
        expect(await control.start(order(['echo', 'a\0b']))).toMatchObject({ result: 'refused' });
      });

      it('refuses ids that are no file names, and knows nothing of them', async () => {
        for (const runId of ['../up', 'a/b', '', '.', '..', '.hidden', '-rf', 'a\nb', 'x'.repeat(300)]) {
          expect(await control.start(order(['true'], { runId }))).toMatchObject({ result: 'refused' });
          expect(await probe(runId)).toEqual({ state: 'no_record' });
          expect(await control.cancel(runId, 'kill')).toBe('no_record');
          expect(await control.log(runId, 100)).toBe('');
        }
        expect(await control.start(order(['true'], { taskId: '../up' }))).toMatchObject({ result: 'refused' });
      });

      it('hands every word of the command on as it is', async () => {
        const words = [
          '',
          ' two  blanks ',
          "it's",
          '"quoted"',
          'line\nbreak\n',
          '$(touch /tmp/never)',
          '`id`',
          '$HOME',
          '*',
          '-n',
          '--',
          '\\back\\slash\\n',
          'ünïcödé 🚀',
          ';exit 3',
          '&',
          '%s%n',
        ];
        const runId = await started(['perl', '-e', 'print map { unpack("H*", $_) . ";" } @ARGV', '--', ...words]);
        expect(await exit(runId)).toMatchObject({ exitCode: 0 });
        const seen = (await control.log(runId, 100_000)).split(';').slice(0, -1);
        expect(seen.map((hex) => Buffer.from(hex, 'hex').toString('utf8'))).toEqual(words);
      });
    });

    describe('the environment of a run', () => {
      it('holds what the order names, what may be passed, and nothing else of the app', async () => {
        const env = { GREETING: 'it\'s\n$(id) `id` "x" ünï', STANDDOWN_TASK: 'task_1' };
        const { passed, secret } = opened;
        expect(control.profile.passEnv).toEqual([passed.name]);
        const asked = order(['perl', '-e', 'print map { "$_=" . unpack("H*", $ENV{$_}) . ";" } sort keys %ENV'], {
          env,
          envFrom: [passed.name, secret],
        });
        expect(await control.start(asked)).toEqual({ result: 'started' });
        await exit(asked.runId);
        const seen = Object.fromEntries(
          (await control.log(asked.runId, 100_000))
            .split(';')
            .slice(0, -1)
            .map((pair) => pair.split('='))
            .map(([name, hex = '']) => [name, Buffer.from(hex, 'hex').toString()]),
        );
        expect(seen).toMatchObject({ ...env, [passed.name]: passed.value, STANDDOWN_RUN_ID: asked.runId });
        expect(seen.PATH).toBeTruthy();
        const known = /^(PATH|HOME|LANG|LANGUAGE|LC_[A-Z]+|TZ|PWD|SHLVL|_|STANDDOWN_RUN_[A-Z]+|STANDDOWN_RESULT_FILE)$/;
        expect(Object.keys(seen).filter((key) => !known.test(key) && !(key in env))).toEqual([passed.name]);
      });

      it('is not shown in the output where its values are passed on', async () => {
        const { name } = opened.passed;
        const script = 'print "before:$ENV{$ARGV[0]}:after"';
        const runId = await started(['perl', '-e', script, name], { envFrom: [name] });
        await exit(runId);
        const shown = 'before:[redacted]:after';
        expect(await control.log(runId, 1000)).toBe(shown);
        const tails = await Promise.all(Array.from({ length: 40 }, (_, bytes) => control.log(runId, bytes)));
        expect(tails.filter((tail) => !shown.endsWith(tail))).toEqual([]);
      });

      it('refuses names that are none', async () => {
        expect(await control.start(order(['true'], { env: { 'A B': 'x' } }))).toMatchObject({ result: 'refused' });
        expect(await control.start(order(['true'], { env: { 'A;id': 'x' } }))).toMatchObject({ result: 'refused' });
      });
    });

    describe('what a run says of itself', () => {
      const UNDERSTOOD = { result: 'failed', reason: 'usage_limit', until: null, problem: null } as const;
      const SAYS = JSON.stringify({ result: 'failed', reason: 'usage_limit' });
      const saying = (text: string): string => `printf '%s' '${text}' >"$STANDDOWN_RESULT_FILE"`;

      it('is told beside its exit code, with the time as it says it', async () => {
        const until = '2027-01-31T12:00:00+01:00';
        const text = JSON.stringify({ result: 'failed', reason: 'usage_limit', until, tokens: 12 });
        const seen = await exit(await started(['sh', '-c', `${saying(text)}; exit 7`]));
        expect(seen).toMatchObject({ exitCode: 7, said: { ...UNDERSTOOD, until: new Date(until) } });
      });

      it('is nothing where its file is empty, blank or removed', async () => {
        for (const script of [':', saying(' \n'), 'rm -f "$STANDDOWN_RESULT_FILE"']) {
          expect(await exit(await started(['sh', '-c', script]))).not.toHaveProperty('said');
        }
      });

      it('says what is wrong with it where it can not be understood', async () => {
        for (const text of ['all done', '{"result":"do', '[]', '{"result":"fine"}']) {
          const { said } = await exit(await started(['sh', '-c', saying(text)]));
          expect(said).toEqual({ result: null, reason: null, until: null, problem: expect.any(String) });
        }
      });

      it('is not told while it runs, and outlives all that could note its end', async () => {
        const script = `${saying(SAYS)}; exec ${NASTY} plain ${marker} ${deadline()}`;
        const runId = await started(['sh', '-c', script, marker]);
        await output(runId, 'ready');
        expect(await probe(runId)).not.toHaveProperty('said');
        await endAtOnce(marker);
        // What was just killed may take a moment to be gone.
        await eventually(async () =>
          expect(await probe(runId)).toMatchObject({ state: 'vanished', survivors: [], said: UNDERSTOOD }),
        );
      });

      it('is kept when the start is asked for again, and when the runner is opened again', async () => {
        const asked = order(['sh', '-c', saying(SAYS)]);
        expect(await control.start(asked)).toEqual({ result: 'started' });
        await exit(asked.runId);
        expect(await control.start(asked)).toEqual({ result: 'started' });
        control = await opened.restart();
        expect(await probe(asked.runId)).toMatchObject({ state: 'exited', said: UNDERSTOOD });
      });

      it('is of one run alone: the next one of its task has an empty file of its own', async () => {
        const taskId = 'task_says';
        const first = await started(['sh', '-c', `echo "$STANDDOWN_RESULT_FILE"; ${saying(SAYS)}`], { taskId });
        await exit(first);
        const script =
          'echo "$STANDDOWN_RESULT_FILE"; test -f "$STANDDOWN_RESULT_FILE" -a ! -s "$STANDDOWN_RESULT_FILE"';
        const second = await started(['sh', '-c', script], { taskId });
        const seen = await exit(second);
        expect(seen.exitCode).toBe(0);
        expect(seen).not.toHaveProperty('said');
        expect(await control.log(second, 1000)).not.toBe(await control.log(first, 1000));
        expect((await exit(first)).said).toEqual(UNDERSTOOD);
      });

      it('is forgotten with the run', async () => {
        const asked = order(['sh', '-c', saying(SAYS)]);
        await control.start(asked);
        await exit(asked.runId);
        if (control.forget === undefined) return;
        expect(await control.forget(asked.runId)).toBe(true);
        expect(await control.start({ ...asked, argv: ['true'] })).toEqual({ result: 'started' });
        expect(await exit(asked.runId)).not.toHaveProperty('said');
      });
    });

    describe('the working directory', () => {
      it('is the task’s own, and the same for its next run', async () => {
        const first = await started(['sh', '-c', 'echo kept >note; pwd'], { taskId: 'task_kept' });
        await exit(first);
        const second = await started(['sh', '-c', 'cat note; pwd'], { taskId: 'task_kept' });
        await exit(second);
        expect(await control.log(second, 1000)).toBe(`kept\n${await control.log(first, 1000)}`);
      });

      it('lies below the root where the order names one', async () => {
        const runId = await started(['pwd'], { workingDirectory: opened.directory });
        expect(await exit(runId)).toMatchObject({ exitCode: 0 });
        expect((await control.log(runId, 1000)).trimEnd().endsWith(`/${opened.directory}`)).toBe(true);
      });

      it('is refused where it leads out of the root or does not exist', async () => {
        for (const workingDirectory of [...opened.escapes, '..', '/', '/tmp', 'a/../..', 'not-there', '']) {
          const result = await control.start(order(['true'], { workingDirectory }));
          expect({ workingDirectory, result }).toMatchObject({
            result: { result: 'refused', reason: expect.stringContaining('working_directory') },
          });
        }
      });
    });

    describe('a cancel', () => {
      it('by TERM lets the program end by its own handler', async () => {
        const script = 'trap "echo tidied; exit 3" TERM; echo ready; while :; do sleep 0.05; done';
        const runId = await started(['sh', '-c', script, marker]);
        await output(runId, 'ready');
        expect(await probe(runId)).toMatchObject({ state: 'running', containment: control.profile.containment });
        expect(await control.cancel(runId, 'term')).toBe('accepted');
        expect(await exit(runId)).toMatchObject({ exitCode: 3, signal: null, survivors: [] });
        expect(await control.log(runId, 1000)).toContain('tidied');
        await waitUntilGone(marker);
      });

      it('by TERM reaches children too, and is reported as the signal', async () => {
        const script = `${NASTY} plain ${marker} ${deadline()} & ${NASTY} plain ${marker} ${deadline()}`;
        const runId = await started(['sh', '-c', script]);
        await output(runId, /ready plain\s+ready plain/);
        expect(await control.cancel(runId, 'term')).toBe('accepted');
        const seen = await exit(runId);
        expect(seen.signal === 'TERM' || seen.exitCode === 143).toBe(true);
        await waitUntilGone(marker);
      });

      it('by KILL ends what ignores TERM', async () => {
        const runId = await started([NASTY, 'ignores_term', marker, deadline()]);
        await output(runId, 'ready');
        expect(await control.cancel(runId, 'term')).toBe('accepted');
        expect(await probe(runId)).toMatchObject({ state: 'running' });
        expect(await control.cancel(runId, 'kill')).toBe('accepted');
        expect(await exit(runId)).toMatchObject({ exitCode: null, signal: 'KILL', survivors: [] });
        await waitUntilGone(marker);
      });

      it('ends a program that is stopped', async () => {
        const runId = await started(['sh', '-c', 'echo ready; kill -STOP $$; sleep 20', marker]);
        await output(runId, 'ready');
        expect(await control.cancel(runId, 'term')).toBe('accepted');
        expect(await exit(runId)).toMatchObject({ signal: 'TERM' });
        await waitUntilGone(marker);
      });

      it('is already ended afterwards, and harmless twice', async () => {
        const runId = await started([NASTY, 'plain', marker, deadline()]);
        await output(runId, 'ready');
        expect(await control.cancel(runId, 'kill')).toBe('accepted');
        await exit(runId);
        expect(await control.cancel(runId, 'kill')).toBe('already_ended');
        expect(await control.cancel(runId, 'term')).toBe('already_ended');
        expect(await control.cancel(runId, 'void')).toBe('already_ended');
        expect(await exit(runId)).toMatchObject({ signal: 'KILL' });
      });

      it('right after the start never lets the program go on', async () => {
        for (const mode of ['term', 'kill'] as const) {
          const runId = await started([NASTY, 'plain', marker, deadline()]);
          expect(await control.cancel(runId, mode)).toBe('accepted');
          expect(await exit(runId)).toMatchObject({ survivors: [] });
          await waitUntilGone(marker);
        }
      });

      it('by KILL in the moment of the start is told as an end, at whatever step it falls', async () => {
        for (let step = 0; step < 25; step += 1) {
          const runId = await started([NASTY, 'plain', marker, deadline()]);
          await new Promise((resolve) => setTimeout(resolve, step));
          await control.cancel(runId, 'kill');
          expect((await exit(runId)).survivors).toEqual([]);
        }
        await waitUntilGone(marker);
      });

      it('before the start makes sure that it never begins', async () => {
        const asked = order([NASTY, 'plain', marker, deadline()]);
        expect(await control.cancel(asked.runId, 'void')).toBe('accepted');
        expect(await control.cancel(asked.runId, 'void')).toBe('accepted');
        expect(await probe(asked.runId)).toEqual({ state: 'voided' });
        expect(await control.start(asked)).toEqual({ result: 'voided' });
        expectGone(marker, 5);
      });

      it('of an unknown run says so', async () => {
        expect(await control.cancel('run_unknown', 'term')).toBe('no_record');
        expect(await control.cancel('run_unknown', 'kill')).toBe('no_record');
        expect(await probe('run_unknown')).toEqual({ state: 'no_record' });
      });

      it('by KILL leaves nothing of a nasty tree, where the kernel contains it', async () => {
        const runId = await started([NASTY, 'tree', marker, deadline(15)]);
        await output(runId, TREE_IS_UP);
        expect(await control.cancel(runId, 'term')).toBe('accepted');
        expect(await control.cancel(runId, 'kill')).toBe('accepted');
        const seen = await exit(runId);
        if (control.profile.containment === 'scan') return;
        // The supervisor, which bears the marker too, has a few milliseconds to end.
        await waitUntilGone(marker);
        expectGone(marker);
        expect(seen).toMatchObject({ exitCode: null, signal: 'KILL', survivors: [] });
      });
    });

    it('ends what the first process left behind, and keeps that one’s exit code', async () => {
      const runId = await started([NASTY, 'leader_exits', marker, deadline(15)]);
      expect(await exit(runId)).toMatchObject({ exitCode: 5, signal: null });
      if (control.profile.containment === 'scan') return;
      await waitUntilGone(marker);
      expectGone(marker);
    });

    it('answers for every run that is asked about, in one call', async () => {
      const ended = await started(['true']);
      await exit(ended);
      const living = await started([NASTY, 'plain', marker, deadline()]);
      const answer = await control.inspect([ended, living, 'run_unknown', '../hostile']);
      expect([...answer].map(([runId, { state }]) => [runId, state])).toEqual([
        [ended, 'exited'],
        [living, 'running'],
        ['run_unknown', 'no_record'],
        ['../hostile', 'no_record'],
      ]);
      expect(await control.list()).toEqual(expect.arrayContaining([ended, living]));
      await control.cancel(living, 'kill');
      await exit(living);
    });

    it('goes on with what runs, and knows what has ended, when it is opened again', async () => {
      const ended = await started(['sh', '-c', 'exit 7']);
      const living = await started([NASTY, 'ignores_term', marker, deadline()]);
      await exit(ended);
      await output(living, 'ready');
      control = await opened.restart();
      expect(await probe(living)).toMatchObject({ state: 'running' });
      expect(await probe(ended)).toMatchObject({ state: 'exited', exitCode: 7, survivors: [] });
      expect(await control.log(living, 1000)).toContain('ready');
      expect(await control.start(order(['true'], { runId: living }))).toEqual({ result: 'started' });
      expect(await control.cancel(living, 'kill')).toBe('accepted');
      expect(await exit(living)).toMatchObject({ exitCode: null, signal: 'KILL', survivors: [] });
      await waitUntilGone(marker);
    });

    it('is unreachable where it can not be asked, and says of nothing that it has no record', async () => {
      const living = await started([NASTY, 'plain', marker, deadline()]);
      await output(living, 'ready');
      const reconnect = await opened.cutOff();
      try {
        await expect(control.inspect([living, 'run_unknown'])).rejects.toThrow(RunnerUnreachable);
        await expect(control.start(order(['true']))).rejects.toThrow(RunnerUnreachable);
        await expect(control.cancel(living, 'kill')).rejects.toThrow(RunnerUnreachable);
        await expect(control.list()).rejects.toThrow(RunnerUnreachable);
        await expect(control.log(living, 1000)).rejects.toThrow(RunnerUnreachable);
      } finally {
        await reconnect();
      }
      expect(await probe(living)).toMatchObject({ state: 'running' });
      await control.cancel(living, 'kill');
      await exit(living);
    });

    describe('the directory of a task', () => {
      it('is listed, and goes with all that is in it when it is not needed any more, and no other does', async () => {
        if (control.workspaces === undefined || control.removeWorkspace === undefined) return;
        const taskId = 'task_over';
        const write = ['sh', '-c', 'mkdir -p deep/er; echo kept | tee note deep/er/note; ln -s / link'];
        for (const id of [taskId, 'task_goes_on']) await exit(await started(write, { taskId: id }));
        expect(await control.workspaces()).toEqual(expect.arrayContaining([taskId, 'task_goes_on']));
        expect(await control.removeWorkspace(taskId)).toBe(true);
        await eventually(async () => expect(await control.workspaces?.()).not.toContain(taskId));
        expect(await control.removeWorkspace(taskId)).toBe(false);
        expect(await exit(await started(['cat', 'note'], { taskId: 'task_goes_on' }))).toMatchObject({ exitCode: 0 });
        expect(await exit(await started(['sh', '-c', 'test ! -e note'], { taskId }))).toMatchObject({ exitCode: 0 });
      });

      it('is none where the name is none', async () => {
        for (const taskId of ['task_unknown', '../runs', '..', '.', '', 'a/b', '.removed-task_1', '../../tmp']) {
          expect(await control.removeWorkspace?.(taskId)).toBe(control.removeWorkspace && false);
        }
      });
    });

    describe('forgetting', () => {
      async function forget(runId: string): Promise<boolean | 'unable'> {
        return control.forget === undefined ? 'unable' : control.forget(runId);
      }

      it('takes away all that is known of an ended run, once, and nothing of its task', async () => {
        const taskId = 'task_forgets';
        const runId = await started(['sh', '-c', 'echo kept >note; echo said'], { taskId });
        const other = await started(['true']);
        await exit(other);
        await exit(runId);
        if ((await forget(runId)) === 'unable') return;
        expect(await probe(runId)).toEqual({ state: 'no_record' });
        expect(await control.log(runId, 1000)).toBe('');
        expect(await control.list()).not.toContain(runId);
        expect(await control.cancel(runId, 'kill')).toBe('no_record');
        expect(await forget(runId)).toBe(false);
        expect(await probe(other)).toMatchObject({ state: 'exited' });
        const next = await started(['cat', 'note'], { taskId });
        expect(await exit(next)).toMatchObject({ exitCode: 0 });
      });

      it('leaves a living run and its log as they are', async () => {
        const runId = await started([NASTY, 'plain', marker, deadline()]);
        await output(runId, 'ready');
        expect([false, 'unable']).toContain(await forget(runId));
        expect(await probe(runId)).toMatchObject({ state: 'running' });
        expect(await control.log(runId, 1000)).toContain('ready');
        await control.cancel(runId, 'kill');
        await exit(runId);
      });

      it('keeps one that was voided from being started while it is known, and is without effect on strange names', async () => {
        const asked = order([NASTY, 'plain', marker, deadline()]);
        await control.cancel(asked.runId, 'void');
        expect([true, 'unable']).toContain(await forget(asked.runId));
        for (const runId of ['run_unknown', '../up', '..', '.', '', 'a/b', '.hidden', '../../tmp']) {
          expect([false, 'unable']).toContain(await forget(runId));
        }
        expectGone(marker, 5);
      });
    });

    describe('the log', () => {
      it('holds both streams, and the last line before the exit', async () => {
        const runId = await started(['sh', '-c', 'echo one; echo two >&2; echo three >/dev/stderr; printf last']);
        await exit(runId);
        expect(await control.log(runId, 1000)).toBe('one\ntwo\nthree\nlast');
        expect(await control.log(runId, 8)).toBe('ree\nlast');
      });

      it('is there while the program runs, and tells when it last wrote', async () => {
        const runId = await started([NASTY, 'plain', marker, deadline()]);
        await output(runId, 'ready');
        const seen = await probe(runId);
        expect(seen.state === 'running' && seen.lastOutputAt instanceof Date).toBe(true);
        await control.cancel(runId, 'kill');
        await exit(runId);
      });
    });
  });
}

const TREE_IS_UP = /(ready \w+\s+){8}/;
