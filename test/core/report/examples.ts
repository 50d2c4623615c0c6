/** What the guide to comments shows: each kind of comment, rendered from plausible facts. */
import type { CommentCommand } from '../../../src/core/comment.ts';
import type { Template } from '../../../src/core/documents/template.ts';
import { DEFAULT_POLICY } from '../../../src/core/policy.ts';
import { countTasks } from '../../../src/core/report/counts.ts';
import { renderNotice } from '../../../src/core/report/notice.ts';
import { renderOutcomes } from '../../../src/core/report/outcome.ts';
import { type ReplyReport, renderReply } from '../../../src/core/report/reply.ts';
import { type Link, renderStatus } from '../../../src/core/report/status.ts';
import type { Run } from '../../../src/core/run.ts';
import type { Task } from '../../../src/core/task.ts';
import { aBatch, anEpisode, aRun, aTask, at } from '../../support/builders.ts';

const policy = DEFAULT_POLICY;
const closedBy = { actor: 'ann', state: 'done', cause: 'issue_completed', endedByEpisodeId: 'episode_1' } as const;

function stoppedRun(set: Partial<Run> = {}): Run {
  return aRun({ state: 'cancelled', cancelRequestedAt: at(10), termAt: at(10), goneAt: at(10.04), ...set });
}

function close(): string {
  const entries = [
    { effect: 'stopped', result: 'done', task: aTask({ ...closedBy }), run: stoppedRun() },
    {
      effect: 'stopped',
      result: 'done',
      task: aTask({ ...closedBy, key: 'index' }),
      run: stoppedRun({ number: 2, killAt: at(40), goneAt: at(40.2) }),
    },
    { effect: 'ended', result: 'done', task: aTask({ ...closedBy, key: 'report' }), run: null },
  ];
  return renderOutcomes([{ id: 'close-episode_1', key: 'close:episode_1', episode: anEpisode(), entries }], policy);
}

function survivors(): string {
  const run = aRun({ state: 'stopping', cancelRequestedAt: at(10), termAt: at(10), killAt: at(40), survivors: [4321] });
  const entries = [{ effect: 'stopping', result: 'done', task: aTask(), run }];
  return renderOutcomes([{ id: 'close-episode_2', key: 'close:episode_2', episode: anEpisode(), entries }], policy);
}

function reopen(): string {
  const episode = anEpisode({ state: 'undone', reopen: { actor: 'bob', authority: 'granted', at: at(60) } });
  const entries = [{ effect: 'requeued', result: 'ready', task: aTask({ runNumber: 1 }), run: stoppedRun() }];
  return renderOutcomes([{ id: 'reopen-episode_1', key: 'reopen:episode_1', episode, entries }], policy);
}

function failure(): string {
  const run = aRun({ number: 3, state: 'failed', cause: 'run_failed', exitCode: 1 });
  const entries = [{ effect: 'failed', result: 'failed', task: aTask({ attempt: 3 }), run }];
  return renderOutcomes([{ id: 'failure-task_1-1', key: 'failure:task_1:1', episode: null, entries }], policy);
}

function reply(id: string, commands: readonly CommentCommand[], set: Partial<ReplyReport> = {}): string {
  const nothing = { tasks: [], runs: new Map(), links: new Map() };
  return renderReply({
    id: `reply-${id}`,
    comment: { author: 'ann', permission: 'write', commands, dropped: 0 },
    entries: [],
    named: nothing,
    batches: new Map(),
    status: null,
    help: { file: { templates: new Map([['train', template]]), batches: new Map([['nightly', {} as never]]) }, policy },
    ...set,
  });
}

const template: Template = {
  key: 'train',
  name: 'Train the ranker',
  priority: 0,
  spec: aTask().spec,
  inputs: new Map([['lr', { pattern: '[0-9.e-]+', default: '0.1', description: 'learning rate' }]]),
};

function commands(): string {
  const onTask = (taskId: string, key: string) => [{ taskId, key, accepted: true, conflict: null }];
  const said: CommentCommand[] = [
    {
      line: '/task cancel train',
      said: { of: 'task', verb: 'cancel', task: 'train' },
      tasks: onTask('task_1', 'train'),
      outcome: { result: 'acted' },
    },
    {
      line: '/task hold report',
      said: { of: 'task', verb: 'hold', task: 'report' },
      tasks: onTask('task_2', 'report'),
      outcome: { result: 'acted' },
    },
    {
      line: '/task run train lr=0.05',
      said: { of: 'task', verb: 'run', template: 'train', inputs: { lr: '0.05' } },
      tasks: null,
      outcome: { result: 'started', taskId: 'task_01JD', key: 'train' },
    },
    {
      line: '/task retry index',
      said: { of: 'task', verb: 'retry', task: 'index' },
      tasks: [{ taskId: 'task_3', key: 'index', accepted: false, conflict: 'index is running; nothing to retry' }],
      outcome: { result: 'acted' },
    },
  ];
  return reply('1001', said, {
    entries: [{ effect: 'stopped', result: 'cancelled', task: aTask(), run: stoppedRun() }],
  });
}

function refused(): string {
  const said: CommentCommand[] = [
    {
      line: '/task skip train',
      said: { of: 'task', verb: 'skip', task: 'train' },
      tasks: null,
      outcome: {
        result: 'refused',
        why: 'not_permitted',
        words: 'skip needs write permission, and rita holds read',
      },
    },
    {
      line: '/task logs',
      said: { of: 'task', verb: 'logs', task: null },
      tasks: null,
      outcome: {
        result: 'ambiguous',
        choices: [
          { id: 'task_1', key: 'train', state: 'running' },
          { id: 'task_2', key: 'index', state: 'done' },
        ],
      },
    },
  ];
  return reply('1002', said, { comment: { author: 'rita', permission: 'read', commands: said, dropped: 0 } });
}

function logs(): string {
  const text =
    'epoch 41: loss 0.213\nepoch 42: loss 0.208\n\u001b[33mcheckpoint written\u001b[0m to /srv/work/ranker.pt\n';
  const said: CommentCommand = {
    line: '/task logs train',
    said: { of: 'task', verb: 'logs', task: 'train' },
    tasks: null,
    outcome: { result: 'log', taskId: 'task_1', key: 'train', run: 2, text },
  };
  return reply('1003', [said]);
}

function help(): string {
  return reply('1004', [
    {
      line: '/task stpo',
      said: { of: 'task', verb: 'unknown', word: 'stpo' },
      tasks: null,
      outcome: { result: 'help' },
    },
  ]);
}

function status(): string {
  const ran = { runNumber: 1, attempt: 1 };
  const tasks: Task[] = [
    aTask({
      ...ran,
      id: 't1',
      key: 'fetch',
      issueNumber: 11,
      state: 'done',
      cause: 'run_succeeded',
      actor: 'runner',
      finishedAt: at(42),
    }),
    aTask({
      ...ran,
      id: 't2',
      key: 'clean',
      issueNumber: 13,
      needs: ['fetch'],
      state: 'failed',
      cause: 'timeout',
      actor: 'runner',
      finishedAt: at(300),
    }),
    aTask({
      ...ran,
      id: 't3',
      key: 'train',
      needs: ['fetch'],
      position: 2,
      state: 'running',
      runNumber: 2,
      attempt: 2,
      spec: { ...aTask().spec, retry: { attempts: 3, backoffSeconds: 30 } },
    }),
    aTask({ id: 't4', key: 'report', issueNumber: null, needs: ['train'], position: 3, state: 'waiting' }),
    aTask({
      id: 't5',
      key: 'publish',
      issueNumber: null,
      needs: ['report', 'clean'],
      position: 4,
      state: 'skipped',
      cause: 'dependency',
      actor: 'standdown',
      finishedAt: at(301),
    }),
    aTask({
      id: 't6',
      key: 'tune',
      issueNumber: null,
      needs: ['fetch'],
      position: 5,
      hold: { reason: 'the GPUs are taken', actor: 'bob', at: at(5) },
    }),
  ];
  const runs = new Map([
    ['t1', aRun({ state: 'succeeded', endedAt: at(42) })],
    ['t2', aRun({ state: 'failed', endedAt: at(300) })],
    ['t3', aRun({ number: 2, startedAt: at(400), runner: 'lab-3' })],
  ]);
  const issue = (number: number): Link => ({
    text: `issue ${number}`,
    url: `https://github.com/acme/widgets/issues/${number}`,
  });
  const links = new Map([
    ['t1', issue(11)],
    ['t2', issue(13)],
    ['t3', issue(12)],
  ]);
  const own = [
    tasks[2]!,
    aTask({
      ...ran,
      id: 't7',
      key: 'index',
      state: 'cancelled',
      cause: 'issue_not_planned',
      actor: 'ann',
      endedByEpisodeId: 'e',
      finishedAt: at(-3_600),
    }),
  ];
  const ownRuns = new Map([
    ['t3', runs.get('t3')!],
    ['t7', aRun({ state: 'cancelled', endedAt: at(90) })],
  ]);
  const ownLinks = new Map([
    ['t7', { text: 'comment', url: 'https://github.com/acme/widgets/issues/12#issuecomment-2001' }],
  ]);
  const batches = [{ batch: aBatch(), counts: countTasks(tasks), tasks, runs, links }];
  return renderStatus({
    id: 'status-1-12',
    issue: { state: 'open' },
    tasks: own,
    runs: ownRuns,
    links: ownLinks,
    batches,
    policy,
  });
}

function notice(): string {
  return renderNotice({
    id: 'notice-1-4f2c',
    path: '.github/standdown.yml',
    sha: '4f2c0a9e5d1b7c3f8a6e2d4b9c0f1a3e5d7b8c9a',
    problems: [
      'line 3, column 5: tasks.train.run: must be a list of strings, the program first, never a shell line',
      'line 9, column 3: policy.on_reopn: is not known here; accepted are on_close, on_reopen, reopen_window_days, …',
    ],
    inForce: '9c0f1a3e5d7b8c9a4f2c0a9e5d1b7c3f8a6e2d4b',
  });
}

export const EXAMPLES: Readonly<Record<string, () => string>> = {
  close,
  survivors,
  reopen,
  failure,
  commands,
  refused,
  logs,
  help,
  status,
  notice,
};
