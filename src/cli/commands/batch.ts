/** `standdown batch …` */
import type { Command } from 'commander';
import { segment } from '../client.ts';
import type { Context } from '../context.ts';
import { CliError, EXIT, type ExitCode } from '../exit.ts';
import { followBatch, journalEnd } from '../follow/index.ts';
import { renderBatch, renderBatches, renderPlanned } from '../render-batch.ts';
import { type BatchView, batchListView, batchView, pageOf, plannedView, understand } from '../views.ts';
import { waitForBatch } from '../wait.ts';
import { type Act, positiveNumber } from './act.ts';

const ID = ['<id>', 'as batch run and batch list show it'] as const;
const DEADLINE = ['--deadline-minutes <minutes>', 'give up waiting (3); the batch goes on', positiveNumber] as const;

export function addBatchCommands(program: Command, act: Act): void {
  const batch = program.command('batch').description('submit batches, move them, see what becomes of them');
  addSubmission(batch, act);
  addReads(batch, act);
  addOrders(batch, act);
}

function addSubmission(batch: Command, act: Act): void {
  batch
    .command('run')
    .description('submit a batch document')
    .argument('<file>', 'YAML or JSON; - reads standard input')
    .option('--dry-run', 'check all of it, say what would be written, and write nothing')
    .option('--wait', 'until it ends (0 done, 1 failed) or needs a person (4)')
    .option('--follow', 'the same, showing its progress as batch follow does')
    .option(...DEADLINE)
    .action(act((context, [file], options) => runBatch(context, file!, options as RunOptions)));
}

function addReads(batch: Command, act: Act): void {
  batch
    .command('list')
    .description('batches, newest first')
    .option('--repository <owner/name>', 'those of one repository')
    .option('--state <state>', 'running, completed, partial, failed or cancelled')
    .option('--cursor <cursor>', 'go on behind an earlier list')
    .action(act((context, _arguments, options) => listBatches(context, options)));

  batch
    .command('status')
    .description('one batch with its tasks, and what would move it where it is stuck')
    .argument(...ID)
    .action(act((context, [id]) => show(context, 'GET', `/batches/${segment(id!)}`)));

  batch
    .command('follow')
    .description('show its progress until it ends (0 done, 1 failed) or needs a person (4)')
    .argument(...ID)
    .option(...DEADLINE)
    .addHelpText('after', FOLLOW_HELP)
    .action(act((context, [id], options) => followById(context, id!, options as Waiting)));
}

const FOLLOW_HELP = `
On a terminal the progress is redrawn in place; elsewhere it is one line per change; with --json it is one event
per line, and the batch as the last line. An app that gives no answer is waited for, about a minute (6). Ctrl-C ends
following (130), and the batch goes on.`;

function addOrders(batch: Command, act: Act): void {
  batch
    .command('cancel')
    .description('start no more of it; what runs finishes, unless --now is given')
    .argument(...ID)
    .option('--now', 'stop what runs, too')
    .action(
      act((context, [id], { now }) =>
        show(context, 'POST', `/batches/${segment(id!)}/cancel`, now ? { now: true } : undefined),
      ),
    );

  batch
    .command('resume')
    .description('queue again what failed, is blocked or was interrupted')
    .argument(...ID)
    .option('--force', 'also what was done')
    .option('--wait', 'until it ends (0 done, 1 failed) or needs a person (4)')
    .option('--follow', 'the same, showing its progress as batch follow does')
    .option(...DEADLINE)
    .action(act((context, [id], options) => resumeBatch(context, id!, options as ResumeOptions)));
}

interface Waiting {
  deadlineMinutes?: number;
}

interface LookingOn extends Waiting {
  wait?: boolean;
  follow?: boolean;
}

interface RunOptions extends LookingOn {
  dryRun?: boolean;
}

interface ResumeOptions extends LookingOn {
  force?: boolean;
}

async function runBatch(context: Context, file: string, options: RunOptions): Promise<ExitCode> {
  const deadline = deadlineOfWaiting(options);
  const text = await context.readInput(file).catch((error: NodeJS.ErrnoException) => {
    const why = error.code === 'ENOENT' ? 'there is none' : (error.code ?? error.message);
    throw new CliError(EXIT.usage, 'unreadable_file', `${file} can't be read: ${why}`);
  });
  const type = file.endsWith('.json') ? 'application/json' : 'application/yaml';
  const path = `/batches${options.dryRun ? '?dry_run=true' : ''}`;
  const client = context.client();
  const follows = options.follow === true && options.dryRun !== true;
  // Before it exists, so that its first event is followed, too.
  const after = follows ? await journalEnd(client) : null;
  const answer = await client.request('POST', path, { document: { text, type } }).catch((error: unknown) => {
    throw ofFile(error, file);
  });
  if (options.dryRun) {
    const planned = understand(plannedView, answer);
    context.print(planned, renderPlanned(planned));
    return EXIT.done;
  }
  const submitted = understand(batchView, answer);
  if (!(options.wait || options.follow)) {
    context.print(submitted, renderBatch(submitted));
    return EXIT.done;
  }
  context.tell(`batch ${submitted.id} is submitted`);
  return follows ? followBatch(context, { id: submitted.id, after, deadline }) : waitFor(context, submitted, deadline);
}

/** What is wrong with a document is wrong with that file. */
function ofFile(error: unknown, file: string): unknown {
  if (!(error instanceof CliError) || error.problems.length === 0) return error;
  const { exitCode, code, message, problems } = error;
  return new CliError(exitCode, code, `${file === '-' ? 'standard input' : file}: ${message}`, problems);
}

async function followById(context: Context, id: string, options: Waiting): Promise<ExitCode> {
  const deadline = deadlineOf(options);
  return followBatch(context, { id, after: await journalEnd(context.client()), deadline });
}

async function resumeBatch(context: Context, id: string, options: ResumeOptions): Promise<ExitCode> {
  const deadline = deadlineOfWaiting(options);
  const sent = options.force ? { json: { force: true } } : {};
  const client = context.client();
  // Before the resume, so that its first event is followed, too.
  const after = options.follow ? await journalEnd(client) : null;
  const resumed = understand(batchView, await client.request('POST', `/batches/${segment(id)}/resume`, sent));
  if (options.follow) return followBatch(context, { id: resumed.id, after, deadline });
  if (options.wait) return waitFor(context, resumed, deadline);
  context.print(resumed, renderBatch(resumed));
  return EXIT.done;
}

async function waitFor(context: Context, { id }: BatchView, deadline: number | null): Promise<ExitCode> {
  const { batch, exitCode } = await waitForBatch(context, id, deadline);
  context.print(batch, renderBatch(batch));
  return exitCode;
}

/** Who doesn't wait has nothing to give up. */
function deadlineOfWaiting(options: LookingOn): number | null {
  if (options.deadlineMinutes === undefined || options.wait || options.follow) return deadlineOf(options);
  throw new CliError(EXIT.usage, 'usage', '--deadline-minutes was given alone; accepted is with --wait or --follow');
}

function deadlineOf({ deadlineMinutes }: Waiting): number | null {
  return deadlineMinutes === undefined ? null : Date.now() + deadlineMinutes * 60_000;
}

async function listBatches(context: Context, options: Readonly<Record<string, unknown>>): Promise<ExitCode> {
  const query = new URLSearchParams();
  for (const key of ['repository', 'state', 'cursor']) {
    if (typeof options[key] === 'string') query.set(key, options[key]);
  }
  const page = understand(pageOf(batchListView), await context.client().request('GET', `/batches?${query}`));
  const more = page.next === null ? '' : `More: --cursor ${page.next}\n`;
  context.print(page, renderBatches(page.items) + more);
  return EXIT.done;
}

async function show(context: Context, method: string, path: string, json?: object): Promise<ExitCode> {
  const batch = understand(batchView, await context.client().request(method, path, json && { json }));
  context.print(batch, renderBatch(batch));
  return EXIT.done;
}
