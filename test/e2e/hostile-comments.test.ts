/** People who may not, and text that wants more than it may: nothing reaches a shell, stops, starts or is told that should not. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Logger } from '../../src/engine/ports.ts';
import { MEANT, see } from '../core/report/hostile.ts';
import { API_TOKEN, REPOSITORY, rest, runOf, submit, taskOf, WAIT } from '../support/world.ts';
import { pidsOf, sleeper, untilAlive } from './programs.ts';
import {
  batchName,
  type ClockedWorld,
  closeWorld,
  type Hands,
  makeClockedWorld,
  newIssue,
  startTask,
  untilSettled,
} from './support.ts';

const FILE = '.github/standdown.yml';
const PASSED = 'hf_TokenThatIsPassedOn';
const OTHER = 'acme/gadgets';

const said: string[] = [];
const keep = (fields: unknown, message?: string) => {
  const plain = (_key: string, value: unknown) =>
    value instanceof Error ? `${value.stack} ${JSON.stringify({ ...value })}` : value;
  said.push(`${message} ${JSON.stringify(fields, plain)}`);
};
const log: Logger = { debug: keep, info: keep, warn: keep, error: keep };

let world: ClockedWorld;

beforeAll(async () => {
  const runner = 'kind: process, repositories: ["acme/*"], grace_seconds: 2, pass_env: [HF_TOKEN]';
  world = await makeClockedWorld({
    operator: `runners:\n  local: { ${runner} }\n`,
    app: { log, env: { ...process.env, HF_TOKEN: PASSED } },
  });
  world.github.addRepository(OTHER);
  for (const [login, role] of [
    ['rita', 'read'],
    ['tom', 'triage'],
  ] as const) {
    world.github.addUser(login);
    world.github.setPermission(REPOSITORY, login, role);
  }
  world.github.addApp('helper', { permissions: { issues: 'write', metadata: 'read' } });
  await world.start();
});

afterEach(() => world.github.pushFile(REPOSITORY, { by: 'ann', path: FILE, text: null }));

afterAll(() => closeWorld(world));

function commentsOf(issue: Hands) {
  return world.github.comments(REPOSITORY, issue.number);
}

function ours(issue: Hands): string[] {
  return commentsOf(issue)
    .map(({ body }) => body)
    .filter((body) => body.startsWith('<!-- standdown:'));
}

function signsOn(issue: Hands, id: number): string[] {
  return (commentsOf(issue).find((each) => each.id === id)?.reactions ?? []).map(({ content }) => content);
}

async function say(issue: Hands, body: string, by = 'ann', via?: string): Promise<number> {
  world.clock.forward();
  const { id } = issue.comment({ by, body, ...(via === undefined ? {} : { via }) });
  await untilSettled(world);
  return id;
}

function push(text: string): void {
  world.github.pushFile(REPOSITORY, { by: 'ann', path: FILE, text });
}

/** A template that shows each of its words, so that nothing of them can be mistaken. */
const SHOWS = `tasks:
  show:
    runs_on: local
    run: ["perl", "-e", 'print join(";", map { unpack("H*", $_) } @ARGV), "\\n"', "--", "\${{ inputs.a }}", "end"]
    inputs: { a: { pattern: "(?s).*" } }
  strict:
    runs_on: local
    run: ["echo", "\${{ inputs.a }}"]
    inputs: { a: {} }
`;

/** None where the repository is not known yet. */
async function tasksOf({ number }: Hands) {
  const { store } = world.app().deps;
  const repository = await store.repositoryByName(REPOSITORY);
  return repository === null ? [] : store.tasksOfIssue({ repositoryId: repository.id, number });
}

async function logOf(issue: Hands): Promise<string> {
  const task = async () => (await tasksOf(issue)).at(-1);
  await expect.poll(async () => (await task())?.state, WAIT).toBe('done');
  return (await rest(world, 'GET', `/tasks/${(await task())?.id}/log`)).body as string;
}

describe('a value from a comment', () => {
  const VALUES = [
    '$(touch NEVER)',
    '`touch NEVER`',
    '; touch NEVER #',
    '"; touch NEVER; "',
    '| touch NEVER && touch NEVER',
    '--flag=--other -rf /',
    `\${{ inputs.a }} \${{ repository }}`,
    '%s%n%x \\n \\0 \\u0000',
    '__proto__ constructor',
    '../../../etc/passwd',
    '*',
    '~root $HOME',
    '@ann #1 </details> ``` GH-12',
  ];

  it('is one word of the program, and nothing else, whatever it says', async () => {
    const never = join(world.dir, 'never');
    push(SHOWS);
    world.clock.forward();
    const runs = VALUES.map((value) => {
      const [issue, text] = [newIssue(world), value.replaceAll('NEVER', never)];
      issue.comment({ by: 'ann', body: `/task run show a="${text.replace(/["\\]/g, '\\$&')}"` });
      return { issue, text };
    });
    for (const { issue, text } of runs) {
      const words = (await logOf(issue)).trim().split(';');
      expect(words.map((hex) => Buffer.from(hex, 'hex').toString())).toEqual([text, 'end']);
    }
    expect(existsSync(never)).toBe(false);
    await untilSettled(world);
  });

  it('without a pattern is no option, and has nothing that a shell would know', async () => {
    const issue = newIssue(world);
    push(SHOWS);
    const values = ['--help', '-n', '"a b"', 'a;b', '$(id)', '`id`', "'a\tb'", 'ä', 'a\u202eb', 'a\u200bb', '"-"'];
    await say(issue, values.map((value) => `/task run strict a=${value}`).join('\n'));
    expect(await tasksOf(issue)).toEqual([]);
    const [reply, ...more] = ours(issue);
    expect(more).toEqual([]);
    expect(reply?.match(/Not done:/g)).toHaveLength(values.length);
    expect(see(reply ?? '').text).not.toMatch(MEANT);
  });
});

describe('text that looks like a command', () => {
  it.each([
    ['look-alikes', '/tаsk cancel\n/ｔask cancel\n∕task cancel\n/task\u00a0cancel\n/TASK cancel'],
    [
      'what nobody sees',
      '\u200b/task cancel\n/ta\u200bsk cancel\n\u202e/task cancel\n/task\u2028cancel\n\u00ad/task cancel',
    ],
    [
      'code, quotes and HTML',
      '```\n/task cancel\n````\n\n> /task cancel\n\n    /task cancel\n\n<!--\n/task cancel\n-->\n\n- /task cancel',
    ],
    ['an image’s or a link’s text', '[a\n/task cancel\n](https://e.example)\n\n![\n/task cancel\n](x)'],
    ['our own words', '<!-- standdown:reply reply-1 -->\n/task cancel'],
    ['what no database keeps', '/task cancel\n\u0000'],
  ])('(%s) is silently none', async (_, body) => {
    const issue = newIssue(world);
    const { batch, word } = await startTask(world, issue);
    const id = await say(issue, body);
    await untilAlive(word);
    expect(await runOf(world, batch, 'train')).toMatchObject({ state: 'running' });
    expect(signsOn(issue, id)).toEqual([]);
    expect(ours(issue).filter((text) => text.startsWith('<!-- standdown:reply') && text !== body)).toEqual([]);
    await say(issue, '/task cancel');
  });
});

it('a comment that is full of commands is answered once, and harmlessly', async () => {
  const issue = newIssue(world);
  const lines = ['/task @ann', '/task cancel #12', '/batch </details>', '/task run `x` a=```', '/task x | y | <!--'];
  const body = Array.from({ length: 4_000 }, (_, index) => lines[index % lines.length])
    .join('\r\n')
    .slice(0, 65_000);
  const id = await say(issue, body);
  expect(signsOn(issue, id)).toEqual(['confused']);
  const [reply, ...more] = ours(issue);
  expect(more).toEqual([]);
  expect(reply?.length).toBeLessThan(65_536);
  expect(reply).toMatch(/more commands of this comment were not carried out: one comment may hold 20/);
  const seen = see(reply ?? '');
  expect(seen).toMatchObject({ links: [], other: [] });
  expect(seen.html.filter((html) => !html.startsWith('<!-- standdown:'))).toEqual([]);
  expect(seen.text).not.toMatch(MEANT);
});

describe('who may not', () => {
  /** Whoever it is says it; nothing of it happens. */
  async function refused(by: string, { via, line = '/task cancel' }: { via?: string; line?: string } = {}) {
    const issue = newIssue(world, by.endsWith('[bot]') ? 'ann' : by);
    const { batch, word } = await startTask(world, issue);
    const id = await say(issue, line, by, via);
    await untilAlive(word);
    expect(await taskOf(world, batch, 'train')).toMatchObject({ state: 'running', hold: null, target: null });
    const signs = signsOn(issue, id);
    const replies = ours(issue).filter((text) => text.startsWith('<!-- standdown:reply'));
    await say(issue, '/task cancel');
    return { signs, replies };
  }

  it('as a stranger, also as the issue’s author, gets a sign and no word', async () => {
    for (const line of ['/task cancel', '/task help', '/task hold\n/task status', '/task nonsense']) {
      expect(await refused('stranger', { line })).toEqual({ signs: ['confused'], replies: [] });
    }
  });

  it('as a bot, through another App, or as our own, gets nothing at all', async () => {
    for (const by of ['helper[bot]', 'dependabot[bot]', `${world.github.appSlug}[bot]`]) {
      expect(await refused(by), by).toEqual({ signs: [], replies: [] });
    }
    expect(await refused('ann', { via: 'helper' })).toEqual({ signs: [], replies: [] });
  });

  it('as a reader is told what is needed, and nobody is mentioned', async () => {
    const { signs, replies } = await refused('rita');
    expect(signs).toEqual(['confused']);
    expect(replies).toHaveLength(1);
    expect(replies[0]).toContain('cancel needs triage permission, and rita holds read');
    expect(see(replies[0] ?? '').text).not.toMatch(MEANT);
  });

  it('any more, when the comment is read', async () => {
    const issue = newIssue(world);
    const { batch } = await startTask(world, issue);
    world.github.webhooks.hold();
    world.github.setPermission(REPOSITORY, 'tom', 'write');
    world.clock.forward();
    const { id } = issue.comment({ by: 'tom', body: '/task skip' });
    world.github.setPermission(REPOSITORY, 'tom', 'triage');
    await world.github.webhooks.release();
    await untilSettled(world);
    expect(signsOn(issue, id)).toEqual(['confused']);
    expect(await taskOf(world, batch, 'train')).toMatchObject({ state: 'running', target: null });
    await say(issue, '/task cancel');
  });

  it('here, whatever they may elsewhere: ids of another repository are nobody’s', async () => {
    world.github.setPermission(OTHER, 'tom', 'admin');
    const far = world.github.addIssue(OTHER, { number: 1, by: 'ann' });
    const { word, run } = sleeper();
    const batch = await submit(world, { train: { issue: far.number, run } }, { ...batchName(), repository: OTHER });
    await expect.poll(() => pidsOf(word).length, WAIT).toBe(1);
    const id = batch.tasks[0]?.id ?? '';
    const issue = newIssue(world);
    const lines = ['cancel', 'done', 'skip', 'hold', 'logs', 'status', 'link', 'unlink'].map(
      (verb) => `/task ${verb} ${id}`,
    );
    await say(issue, [...lines, `/batch cancel ${batch.id}`, `/batch status ${batch.id}`].join('\n'));
    await untilAlive(word);
    expect(await taskOf(world, batch, 'train')).toMatchObject({ state: 'running', hold: null, issueNumber: 1 });
    const [reply] = ours(issue);
    expect(reply?.match(/Not done: no (task|batch) of this repository/g)).toHaveLength(10);
    world.clock.forward();
    far.close({ by: 'ann' });
    await expect.poll(() => pidsOf(word), WAIT).toEqual([]);
    await untilSettled(world);
  });
});

it('no secret is in a comment, in the journal, in a log or in an answer, although a run prints all that it can see', async () => {
  const issue = newIssue(world);
  const env = 'env | sort; echo "token=$HF_TOKEN"; echo "$HF_TOKEN" | rev; echo over';
  push(`tasks: { leak: { runs_on: local, run: ["sh", "-c", ${JSON.stringify(env)}], env_from: [HF_TOKEN] } }`);
  await say(issue, '/task run leak');
  const shown = await logOf(issue);
  expect(shown).toContain('token=[redacted]');
  // It did have it.
  expect(shown).toContain([...PASSED].reverse().join(''));
  await say(issue, '/task logs leak\n/task status leak');
  const comments = ours(issue);
  expect(comments.some((body) => body.includes('token=[redacted]'))).toBe(true);
  const events = JSON.stringify(await world.app().deps.store.queries.events(null, 100_000));
  const key = world.github.privateKey.split('\n')[3] ?? 'no key';
  for (const secret of [PASSED, world.github.webhookSecret, key, API_TOKEN]) {
    for (const text of [shown, ...comments, events, ...said]) expect(text).not.toContain(secret);
  }
});
