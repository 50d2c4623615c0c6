/** A person's own command, which an issue stops: without any app, against a GitHub over HTTP. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type StandInGitHub, startStandInGitHub } from '../../src/demo/github/index.ts';
import { hasProgram } from '../../src/runners/process/program.ts';
import { type Attending, attend, attendAtTerminal, bundleCli } from '../support/attend.ts';
import {
  deadline,
  endByWord,
  eventually,
  expectGone,
  makeMarker,
  NASTY,
  removeDirectory,
} from '../support/processes.ts';

const REPOSITORY = 'acme/widgets';
const FAST = ['--interval', '0.1'];

let place: { dir: string; cli: string };
let github: StandInGitHub;
let token: string;
const words: string[] = [];

beforeAll(async () => {
  place = await bundleCli();
  github = await startStandInGitHub();
  github.addRepository(REPOSITORY);
  github.addRepository('acme/elsewhere');
  github.addRepository('acme/secret', { private: true });
  for (const login of ['ann', 'stranger']) github.addUser(login);
  for (const name of [REPOSITORY, 'acme/elsewhere']) github.setPermission(name, 'ann', 'write');
  token = github.addToken('ann');
}, 120_000);

afterEach(() => {
  github.faults.clear();
  for (const word of words.splice(0)) endByWord(word);
});

afterAll(async () => {
  await github?.close();
  if (place !== undefined) removeDirectory(place.dir);
});

/** A word that finds its processes, also those of `standdown attend` itself. */
function word(): string {
  const marker = makeMarker();
  words.push(marker);
  return marker;
}

function start(number: number, command: readonly string[], options: readonly string[] = FAST): Attending {
  return attend({ ...place, github, token }, ['--issue', `${REPOSITORY}#${number}`, ...options, '--', ...command]);
}

const newIssue = () => github.addIssue(REPOSITORY, { title: 'An issue' }).number;

function reads(number: number) {
  return github.requests().filter(({ path }) => path === `/repos/${REPOSITORY}/issues/${number}`);
}

const NASTY_MODES = ['forks_while_killed', 'ignores_term', 'ignores_term', 'ignores_term', 'plain'];

/** Ignores TERM, has left the session, is a daemon, answers TERM with more of its kind; one has no environment and no parent soon. */
function nastyTree(marker: string): string[] {
  const modes = ['ignores_term', 'own_session', 'daemon', 'forks_while_killed'];
  const script = modes.map((mode) => `perl "$0" ${mode} ${marker} ${deadline(60)} &`).join(' ');
  const scrubbed = `env -i setsid "$(command -v perl)" "$0" ignores_term ${marker} ${deadline(60)} &`;
  return ['sh', '-c', `${script} ${scrubbed} wait; : ${marker}`, NASTY];
}

/** `own_session` becomes another one that ignores TERM, `daemon` a plain one. */
async function untilReady(attending: Attending, modes: readonly string[] = NASTY_MODES): Promise<void> {
  const ready = () => attending.out().match(/(?<=ready )\w+/g) ?? [];
  await eventually(() => expect(ready().sort()).toEqual(modes));
}

test('a command has its own output, environment without any secret of the app, and exit code, told as shells do', async () => {
  writeFileSync(join(place.dir, '.env'), 'OF_FILE=for the app\n');
  const words = start(newIssue(), ['echo', '--json', '--grace', '--', '-x']);
  const exits = start(newIssue(), ['sh', '-c', 'echo "$OWN:$GITHUB_TOKEN:$OF_FILE:"; exit 7']);
  const secrets = start(newIssue(), ['sh', '-c', 'env | grep -c a-secret-of-the-app']);
  const signalled = start(newIssue(), ['sh', '-c', 'kill -USR1 $$']);
  const missing = start(newIssue(), ['no-such-program-here']);
  expect([await words.done, words.out(), words.err()]).toEqual([0, '--json --grace -- -x\n', '']);
  expect([await exits.done, exits.out(), exits.err()]).toEqual([7, 'kept:::\n', '']);
  expect([await secrets.done, secrets.out()]).toEqual([1, '0\n']);
  expect(await signalled.done).toBe(128 + 10);
  expect(await missing.done).toBe(127);
  expect(missing.err()).toBe('standdown: there is no program "no-such-program-here"\n');
});

test('a close stops the whole tree, whatever it does against it, and says by whom and why', async () => {
  const number = newIssue();
  const marker = word();
  const attending = start(number, nastyTree(marker), [...FAST, '--grace', '0.5']);
  await untilReady(attending);
  github.issue(REPOSITORY, number).close({ by: 'ann', reason: 'not_planned' });
  expect(await attending.done).toBe(124);
  expectGone(marker);
  expect(attending.err()).toContain(`standdown: ${REPOSITORY}#${number} was closed as not planned by ann: TERM to`);
  expect(attending.err()).toContain('KILL was needed');
  expect(github.comments(REPOSITORY, number)).toEqual([]);
});

test('looks at a quiet issue cost nothing of the rate limit', async () => {
  const number = newIssue();
  const attending = start(number, ['sh', '-c', `sleep 60; : ${word()}`]);
  await eventually(() => expect(reads(number).length).toBeGreaterThan(3));
  expect(
    new Set(
      reads(number)
        .slice(1, 4)
        .map(({ status }) => status),
    ),
  ).toEqual(new Set([304]));
  github.issue(REPOSITORY, number).close({ by: 'ann' });
  expect(await attending.done).toBe(124);
});

test('no answer from GitHub stops nothing, is told once, and holds up no end', async () => {
  const number = newIssue();
  const path = `/repos/${REPOSITORY}/issues/${number}`;
  const script = `trap "exit 3" USR1; echo up; while :; do sleep 0.05; done; : ${word()}`;
  const attending = start(number, ['sh', '-c', script]);
  await eventually(() => expect(attending.out()).toBe('up\n'));
  github.faults.add({ kind: 'answer', status: 502, path });
  await eventually(() => expect(reads(number).filter(({ status }) => status === 502).length).toBeGreaterThan(2));
  github.faults.clear();
  await eventually(() => expect(attending.err()).toContain('can be read again'));
  expect(attending.err().match(/acme\/widgets#\d+ can't be read, the command goes on: 502\b[^/{]*\n/g)).toHaveLength(1);
  github.faults.add({ kind: 'hang', path });
  // One that was on its way is still answered.
  const before = reads(number).length;
  await eventually(() => expect(reads(number).length).toBeGreaterThan(before));
  // To the command, not to whoever attends it.
  process.kill(attending.pid, 'SIGUSR1');
  expect(await attending.done).toBe(3);
  expect(reads(number).at(-1)?.status).toBeNull();
});

test('GitHub is not asked before the time that it named', async () => {
  const number = newIssue();
  const path = `/repos/${REPOSITORY}/issues/${number}`;
  const attending = start(number, ['sh', '-c', `sleep 60; : ${word()}`]);
  await eventually(() => expect(reads(number).length).toBeGreaterThan(1));
  github.faults.add({ kind: 'secondary_limit', retryAfterSeconds: 1, times: 1, path });
  await eventually(() => expect(reads(number).some(({ status }) => status === 403)).toBe(true));
  const limited = reads(number).findIndex(({ status }) => status === 403);
  await eventually(() => expect(reads(number).length).toBeGreaterThan(limited + 1));
  const [refused, next] = reads(number).slice(limited, limited + 2);
  expect((next?.at ?? 0) - (refused?.at ?? 0)).toBeGreaterThanOrEqual(1000);
  process.kill(attending.pid, 'SIGTERM');
  expect(await attending.done).toBe(143);
});

test('a transferred issue stops the command, and is told as what it is', async () => {
  const number = newIssue();
  const attending = start(number, ['sh', '-c', `echo up; sleep 60; : ${word()}`]);
  await eventually(() => expect(attending.out()).toBe('up\n'));
  github.issue(REPOSITORY, number).transfer('acme/elsewhere', { by: 'ann' });
  expect(await attending.done).toBe(124);
  expect(attending.err()).toMatch(/was transferred: it is http\S+\/acme\/elsewhere\/issues\/\d+ now: TERM to/);
});

test('nothing starts for what is no open issue', async () => {
  const closed = newIssue();
  github.issue(REPOSITORY, closed).close({ by: 'ann', reason: 'completed' });
  const pull = github.addIssue(REPOSITORY, { title: 'Code', isPullRequest: true }).number;
  const made = join(place.dir, 'made');
  const run = async (issue: string, options: readonly string[] = [], as = token) => {
    const { done, err } = attend({ ...place, github, token: as }, ['--issue', issue, ...options, '--', 'touch', made]);
    return `${await done} ${err()}`;
  };
  const told = await Promise.all([
    run(`${REPOSITORY}#${closed}`),
    run(`${REPOSITORY}#${pull}`),
    run(`${REPOSITORY}#9999`),
    run('acme/secret#1'),
    run('nonsense'),
    run(`${REPOSITORY}#${newIssue()}`, ['--grace', 'long']),
    run(`${REPOSITORY}#${newIssue()}`, [], ''),
    run(`${REPOSITORY}#${newIssue()}`, [], 'ghp_nobodys'),
  ]);
  expect(told[0]).toBe(`5 standdown: nothing was started: ${REPOSITORY}#${closed} was closed as completed by ann\n`);
  expect(told[1]).toBe(`5 standdown: nothing was started: ${REPOSITORY}#${pull} is a pull request\n`);
  expect(told[2]).toBe(`5 standdown: nothing was started: there is no issue ${REPOSITORY}#9999\n`);
  expect(told[3]).toBe('5 standdown: nothing was started: GitHub shows no repository acme/secret to this token\n');
  expect(told[4]).toMatch(/^2 standdown: --issue: "nonsense"/);
  expect(told[5]).toMatch(/^2 standdown: .*--grace/);
  expect(told[6]).toMatch(/^2 standdown: the configuration is wrong\s+GITHUB_TOKEN.* is missing/);
  expect(told[7]).toMatch(
    /^5 standdown: nothing was started: acme\/widgets#\d+ can't be read with this token: 401 [^/{]*\n$/,
  );
  github.faults.add({ kind: 'answer', status: 502 });
  expect(await run(`${REPOSITORY}#${newIssue()}`)).toMatch(
    /^6 standdown: nothing was started: GitHub gave no answer about acme\/widgets#\d+: 502\b[^/{]*\n$/,
  );
  expect(existsSync(made)).toBe(false);
});

test("INT is passed on, and what comes of it is the command's to say", async () => {
  const attending = start(newIssue(), [
    'sh',
    '-c',
    `trap "exit 9" INT; echo up; while :; do sleep 0.05; done; : ${word()}`,
  ]);
  await eventually(() => expect(attending.out()).toBe('up\n'));
  process.kill(attending.pid, 'SIGINT');
  expect(await attending.done).toBe(9);
});

test.skipIf(!hasProgram('script', process.env.PATH ?? ''))(
  'at a terminal Ctrl-C comes to the command once, and so does what is typed',
  async () => {
    const hears = '$SIG{INT} = sub { print "int ", ++$n, "\n" }; $SIG{USR1} = sub { print "in all $n\n"; exit 5 };';
    const reads = '$| = 1; print "up below ", getppid, "\n"; while (1) { $_ = <STDIN>; print "read $_" if defined }';
    const options = ['--issue', `${REPOSITORY}#${newIssue()}`, ...FAST, '--'];
    const attending = attendAtTerminal({ ...place, github, token }, [...options, 'perl', '-e', hears + reads, word()]);
    await eventually(() => expect(attending.out()).toMatch(/up below \d+\r\n/));
    attending.type('\x03');
    await eventually(() => expect(attending.out()).toContain('int 1'));
    attending.type('words\n');
    await eventually(() => expect(attending.out()).toContain('read words'));
    // Whatever would still have been passed on comes before this.
    process.kill(Number(/up below (\d+)/.exec(attending.out())?.[1]), 'SIGUSR1');
    expect(await attending.done).toBe(5);
    expect(attending.out()).toContain('in all 1');
  },
);

test('TERM ends the whole tree, and a second one ends the grace', async () => {
  const marker = word();
  const attending = start(newIssue(), nastyTree(marker), [...FAST, '--grace', '600']);
  await untilReady(attending);
  process.kill(attending.pid, 'SIGTERM');
  await eventually(() => expect(attending.err()).toContain('told to end'));
  process.kill(attending.pid, 'SIGTERM');
  expect(await attending.done).toBe(143);
  expectGone(marker);
});

test('what a command leaves behind ends with it', async () => {
  const marker = word();
  const script = `perl "$0" own_session ${marker} ${deadline(60)} & trap "exit 4" USR1; while :; do sleep 0.05; done`;
  const attending = start(newIssue(), ['sh', '-c', script, NASTY], [...FAST, '--grace', '0.2']);
  await untilReady(attending, ['ignores_term']);
  process.kill(attending.pid, 'SIGUSR1');
  expect(await attending.done).toBe(4);
  expectGone(marker);
  expect(attending.err()).toContain('left something behind');
});

test('kill -9 of whoever attends ends the whole tree too', async () => {
  const marker = word();
  const attending = start(newIssue(), nastyTree(marker), [...FAST, '--grace', '0.5']);
  await untilReady(attending);
  attending.child.kill('SIGKILL');
  expect(await attending.done).toBe('SIGKILL');
  await eventually(() => expectGone(marker, 1));
  expectGone(marker);
});
