/** The answer to a comment: words for all that can come of a command. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Said } from '../../../src/core/commands/said.ts';
import type { CommandOutcome, CommentCommand } from '../../../src/core/comment.ts';
import { DEFAULT_POLICY } from '../../../src/core/policy.ts';
import { countTasks } from '../../../src/core/report/counts.ts';
import { type ReplyReport, renderReply } from '../../../src/core/report/reply.ts';
import { aBatch, aRun, aTask, at } from '../../support/builders.ts';
import { HOSTILE, MEANT, see } from './hostile.ts';

const HEAD = '<!-- standdown:reply r -->\nAs **ann** (write) asked:\n\n';

const NOTHING = { tasks: [], runs: new Map(), links: new Map() };

function command(line: string, said: Said, set: Partial<CommentCommand> = {}): CommentCommand {
  return { line, said, tasks: null, outcome: null, ...set };
}

function onTask(
  verb: string,
  set: { accepted?: boolean; conflict?: string; key?: string; text?: string } = {},
): CommentCommand {
  const { accepted = true, conflict = null, key = 'train', text = '' } = set;
  const said = { of: 'task', verb, task: key, text } as unknown as Said;
  const tasks = [{ taskId: 'task_1', key, accepted, conflict }];
  return command(`/task ${verb} ${key}`, said, { tasks, outcome: { result: 'acted' } });
}

function coming(outcome: CommandOutcome, said: Said = { of: 'task', verb: 'status', task: null }): CommentCommand {
  return command('/task x', said, { outcome });
}

function report(commands: readonly CommentCommand[], set: Partial<ReplyReport> = {}): ReplyReport {
  return {
    id: 'r',
    comment: { author: 'ann', permission: 'write', commands, dropped: 0 },
    entries: [],
    named: NOTHING,
    batches: new Map(),
    status: null,
    help: { file: null, policy: DEFAULT_POLICY },
    ...set,
  };
}

function bodyOf(commands: readonly CommentCommand[], set: Partial<ReplyReport> = {}): string {
  return renderReply(report(commands, set));
}

const stopped = {
  effect: 'stopped',
  result: 'cancelled',
  task: aTask(),
  run: aRun({ state: 'cancelled', cancelRequestedAt: at(0), termAt: at(0), goneAt: at(1) }),
};

describe('what a command did to a task', () => {
  it('is told as it was seen, with how to undo it', () => {
    expect(bodyOf([onTask('cancel')], { entries: [stopped] })).toBe(
      `${HEAD}> \`/task cancel train\`\n\n- \`train\`: run 1 was stopped (TERM, gone after 1.0 s, pidns); the task is **cancelled**.\n\nTo undo: \`/task retry train\` (needs write permission).`,
    );
  });

  it('is told by the last of its commands that did it', () => {
    const body = bodyOf([onTask('cancel'), onTask('retry')], { entries: [{ ...stopped, effect: 'requeued' }] });
    expect(body).toMatch(
      /> `\/task cancel train`\n\n- `train`: see below\.[\s\S]*`\/task retry train`\n\n- `train` is queued again/,
    );
  });

  it('is not told twice where the later command moved nothing', () => {
    const body = bodyOf([onTask('cancel'), onTask('retry', { accepted: false, conflict: 'run 1 is stopping' })], {
      entries: [stopped],
    });
    expect(body).toMatch(/run 1 was stopped[\s\S]*`train`: not done, since run 1 is stopping\./);
    expect(body.match(/To undo/g)).toHaveLength(1);
  });

  it('is its state, where it had no run and is linked to no issue', () => {
    const named = { ...NOTHING, tasks: [aTask({ state: 'skipped' })] };
    expect(bodyOf([onTask('skip')], { named })).toContain('`train`: done; the task is **skipped**.');
  });

  it.each<[string, RegExp]>([
    ['hold', /`train` is on hold: .* `\/task release train`[\s\S]*To undo: `\/task release train`/],
    ['release', /`train` is released: .*\.$/],
    ['block', /`train` waits for an answer, .* before: `\/task answer train …`; a run that lives goes on\.$/],
    ['answer', /`train` has its answer.*\.$/],
    ['link', /`train` is linked to this issue.*\n\nTo undo: `\/task unlink train`/],
    ['unlink', /`train` is linked to no issue any more.*\n\nTo undo: `\/task link task_1`/],
  ])('of %s is said in words of its own', (verb, words) => {
    expect(bodyOf([onTask(verb)])).toMatch(words);
  });
});

describe('what else can come of a command', () => {
  it.each<[CommandOutcome, RegExp]>([
    [
      { result: 'started', taskId: 'task_9', key: 'train' },
      /`train` is queued as `task_9`\. To undo: `\/task cancel train`/,
    ],
    [
      { result: 'batch_started', batchId: 'batch_1', name: 'nightly' },
      /Batch `nightly` is started with 1 task, as `batch_1`.*To undo: `\/batch cancel nightly` \(needs triage/,
    ],
    [
      { result: 'batch_cancelled', batchId: 'batch_1', name: 'nightly' },
      /nothing more of it starts, and what runs goes on\. To undo: `\/batch resume nightly`/,
    ],
    [
      { result: 'batch_resumed', batchId: 'batch_1', name: 'nightly' },
      /queued again\. To undo: `\/batch cancel nightly`/,
    ],
    [{ result: 'batch_status', batchId: 'batch_1', name: 'nightly' }, /\*\*Batch `nightly`\*\* is \*\*running\*\*/],
    [{ result: 'batch_status', batchId: 'batch_2', name: 'older' }, /Batch `older` is gone/],
    [{ result: 'status' }, /Nothing is known of the tasks/],
    [{ result: 'log', taskId: 'task_1', key: 'train', run: 2, text: '' }, /`train`: run 2 has written nothing yet/],
    [{ result: 'refused', why: 'other', words: '`train` is unknown, @bob' }, /Not done: `train` is unknown, `@bob`\.$/],
    [
      { result: 'refused', why: 'late', words: 'it was found 61 min late: please say it again' },
      /Not done: it was found 61 min late: please/,
    ],
    [{ result: 'help' }, /\| `\/task run <template> \[key=value …\]` \| starts a task .* \| write \|/],
  ])('%j', (outcome, words) => {
    const batches = new Map([
      [
        'batch_1',
        { batch: aBatch(), tasks: [aTask()], counts: countTasks([aTask()]), runs: new Map(), links: new Map() },
      ],
    ]);
    expect(bodyOf([coming(outcome)], { batches })).toMatch(words);
  });

  it('where several could be meant, each can be copied', () => {
    const choices = [
      { id: 'task_1', key: 'train', state: 'running' },
      { id: 'task_2', key: 'test', state: 'ready' },
    ];
    const answer: Said = { of: 'task', verb: 'answer', text: '42' };
    expect(bodyOf([coming({ result: 'ambiguous', choices }, answer)])).toMatch(
      /- `\/task answer train 42` – running\n- `\/task answer test 42` – ready$/,
    );
    const long: Said = { of: 'task', verb: 'answer', text: 'x'.repeat(2_000) };
    expect(bodyOf([coming({ result: 'ambiguous', choices }, long)])).toContain('- `/task answer train …` – running');
    const same = choices.map((choice) => ({ ...choice, key: 'train' }));
    const body = bodyOf([coming({ result: 'ambiguous', choices: same })]);
    expect(body).toContain('- `/task status task_1` – `train`, running');
  });
});

it('of the status only the tasks that were named are told', () => {
  const tasks = [aTask(), aTask({ id: 'task_2', key: 'test' })];
  const named = { ...NOTHING, tasks, runs: new Map([['task_1', aRun({ runner: 'lab-3' })]]) };
  const command = { ...onTask('status'), outcome: { result: 'status' } as const };
  expect(bodyOf([command], { named }).match(/^\| `.*/gm)).toEqual([expect.stringMatching(/`train` .* `lab-3`/)]);
});

it('the end of a log is folded, cleaned and capped, and nothing in it can close its block', () => {
  const text = `${'line of output\n'.repeat(100_000)}\u001b[31m\`\`\`\n</details> @ann #12`;
  const body = bodyOf([coming({ result: 'log', taskId: 'task_1', key: 'train', run: 2, text })]);
  expect(body.length).toBeLessThan(65_536);
  const { code, html, text: said } = see(body);
  expect(code.at(-1)).toMatch(/^line of output\n[\s\S]*```\n<\/details> @ann #12\n$/);
  expect(html).toHaveLength(3);
  expect(said).not.toMatch(MEANT);
});

it('as many logs as a comment can ask for are all in its answer', () => {
  const text = 'x'.repeat(200_000);
  const commands = Array.from({ length: 20 }, () => coming({ result: 'log', taskId: 't', key: 'train', run: 1, text }));
  const body = bodyOf(commands);
  expect(body.length).toBeLessThan(65_536);
  expect(body.match(/<details>/g)).toHaveLength(20);
  expect(body.match(/<\/details>/g)).toHaveLength(20);
});

it('who may only because the issue is theirs is told as that, and who may not as asking', () => {
  const refused = coming({ result: 'refused', why: 'not_permitted', words: 'it needs write permission' });
  const by = (permission: 'none' | 'read' | 'triage' | null, commands: readonly CommentCommand[]) =>
    bodyOf(commands, { comment: { author: 'ann', permission, commands, dropped: 0 } }).split('\n')[1];
  expect(by('none', [onTask('cancel')])).toBe('As **ann** (the issue’s author) asked:');
  expect(by('read', [onTask('cancel')])).toBe('As **ann** (the issue’s author) asked:');
  expect(by('triage', [onTask('cancel')])).toBe('As **ann** (triage) asked:');
  expect(by('read', [refused])).toBe('**ann** (read) asked for this:');
  expect(by(null, [refused])).toBe('**ann** asked for this:');
});

it('a stranger who may say what anybody may is not taken for the issue’s author', () => {
  const policy = { ...DEFAULT_POLICY, permissions: { ...DEFAULT_POLICY.permissions, status: 'none' as const } };
  const comment = { author: 'eve', permission: 'none' as const, commands: [coming({ result: 'status' })], dropped: 0 };
  expect(bodyOf(comment.commands, { comment, help: { file: null, policy } })).toContain('As **eve** asked:');
});

it('help is given once, says what the file lets people start, and what was no verb', () => {
  const inputs = new Map([['lr', { pattern: null, default: '0.1', description: 'learning rate' }]]);
  const template = { key: 'train', name: 'Train the ranker', priority: 0, spec: aTask().spec, inputs };
  const file = { templates: new Map([['train', template]]), batches: new Map([['nightly', {} as never]]) };
  const policy = { ...DEFAULT_POLICY, commandPrefix: 'bot', author: ['cancel'] as const };
  const commands = [
    coming({ result: 'help' }, { of: 'task', verb: 'unknown', word: 'stpo' }),
    coming({ result: 'help' }, { of: 'task', verb: 'help' }),
  ];
  const body = bodyOf(commands, { help: { file, policy } });
  expect(body).toContain('`stpo` is nothing that `/bot task` can do.');
  expect(body).toContain('- `/bot task run train` – Train the ranker; inputs: `lr=0.1` (learning rate)');
  expect(body).toContain('- `/bot batch run nightly`');
  expect(body).toContain('The issue’s author may also say: `cancel`.');
  expect(body.match(/\| a line of a new comment/g)).toHaveLength(1);
});

it.each<[Said, string]>([
  [{ of: 'task', verb: 'unknown', word: '' }, 'A verb is missing.'],
  [
    { of: 'task', verb: 'unknown', word: 'Cancel' },
    '`Cancel` is nothing that `/bot task` can do; `/bot task cancel` is.',
  ],
  [
    { of: 'task', verb: 'unknown', word: 'cancel.' },
    '`cancel.` is nothing that `/bot task` can do; `/bot task cancel` is.',
  ],
  [{ of: 'batch', verb: 'unknown', word: 'Logs' }, '`Logs` is nothing that `/bot batch` can do.'],
])('%j is told beside the help', (said, words) => {
  const policy = { ...DEFAULT_POLICY, commandPrefix: 'bot' };
  expect(bodyOf([coming({ result: 'help' }, said)], { help: { file: null, policy } })).toContain(`\n\n${words}\n\n|`);
});

it('a verb that was not said as it is to be comes back with how it is said', () => {
  const policy = { ...DEFAULT_POLICY, commandPrefix: 'bot' };
  const said: Said = { of: 'task', verb: 'wrong', meant: 'run', problem: 'which template is missing' };
  const refused = coming({ result: 'refused', why: 'other', words: said.problem }, said);
  expect(bodyOf([refused], { help: { file: null, policy } })).toMatch(
    /Not done: which template is missing\. Say it like this: `\/bot task run <template> \[key=value …\]`\.$/,
  );
});

it('what was too much for one comment is said once', () => {
  const commands = [onTask('hold')];
  const body = bodyOf(commands, { comment: { author: 'ann', permission: 'write', commands, dropped: 480 } });
  expect(body).toMatch(/480 more commands of this comment were not carried out: one comment may hold 20\.$/);
});

it('whatever is said and whatever is called what, the answer is only text', () => {
  fc.assert(
    fc.property(HOSTILE, HOSTILE, (one, two) => {
      const choices = [{ id: one, key: two, state: one }];
      const commands = [
        { ...onTask('cancel', { key: one, accepted: false, conflict: two }), line: two },
        { ...onTask('hold', { key: two }), line: one },
        coming({ result: 'refused', why: 'other', words: one }),
        coming({ result: 'ambiguous', choices }, { of: 'task', verb: 'answer', text: two }),
        coming({ result: 'log', taskId: 't', key: one, run: 1, text: `.${two}` }),
        coming({ result: 'started', taskId: one, key: two }),
        coming({ result: 'batch_started', batchId: one, name: two }),
        coming({ result: 'help' }, { of: 'task', verb: 'unknown', word: one }),
      ];
      const inputs = new Map([[one, { pattern: null, default: two, description: one }]]);
      const template = { key: one, name: two, priority: 0, spec: aTask().spec, inputs };
      const file = { templates: new Map([[one, template]]), batches: new Map([[two, {} as never]]) };
      const comment = { author: one, permission: 'write', commands, dropped: 1 } as const;
      const seen = see(bodyOf(commands, { comment, help: { file, policy: DEFAULT_POLICY } }));
      expect(seen).toMatchObject({ links: [], other: [] });
      expect(seen.html.filter((html) => !/^(<!-- standdown:reply r -->|<details>|<\/details>)/.test(html))).toEqual([]);
      expect(seen.text).not.toMatch(MEANT);
    }),
    { numRuns: 300 },
  );
});

it('ten thousand tasks and the longest lines are one comment', () => {
  const tasks = Array.from({ length: 10_000 }, (_, index) => ({
    ...{ taskId: `${index}`, key: 'k'.repeat(100), accepted: false, conflict: '@bob '.repeat(10_000) },
  }));
  const commands = Array.from({ length: 20 }, () => ({ ...onTask('cancel'), line: 'x'.repeat(65_000), tasks }));
  const body = bodyOf(commands);
  expect(body.length).toBeLessThan(65_536);
  expect(body).toMatch(/and \d+ more tasks/);
});
