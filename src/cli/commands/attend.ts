/** `standdown attend`: a person's own command, stopped by an issue or as the work of a task. */
import { type Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import type { AttendError, AttendOrder } from '../../app/attend/index.ts';
import { visible } from '../../core/report/text.ts';
import type { Context } from '../context.ts';
import { CliError, EXIT } from '../exit.ts';
import { parseIssueReference } from '../issue-reference.ts';
import { makeTaskDesk } from '../task-desk.ts';
import type { Act } from './act.ts';
import { usage } from './scope.ts';

const HELP = `
Environment: with --task, STANDDOWN_URL and STANDDOWN_API_TOKEN; with --issue, GITHUB_TOKEN, which may read the issue, and
GHE_HOST, GHE_PROTOCOL. No token is passed on to the command.

Exit codes: the command's own, or 128 and the signal's number where one ended it; 124 where the issue or the app did. Nothing
was started: 2 usage, 5 the task can't be run now, or the issue is not open, unknown, a pull request or out of reach,
6 no answer from the app or from GitHub, 126 the program can't be run, 127 there is none.`;

const EXIT_OF = {
  refused: EXIT.refused,
  unreachable: EXIT.unreachable,
  not_executable: EXIT.notExecutable,
  not_found: EXIT.notFound,
} as const;

/** The longest that a timer takes. */
const LONGEST_SECONDS = 86_400;

/** Between two looks at the issue. */
const INTERVAL_SECONDS = 30;

export function addAttendCommand(program: Command, act: Act): void {
  program
    .command('attend')
    .description('run a command of your own: as the work of a task, or, without any app, until an issue closes')
    .option('--task <id>', 'the app has it stopped, and is told how it ended')
    .option(
      '--issue <owner/name#number>',
      'or the address of its page: it is stopped when that closes, without any app',
    )
    .addOption(
      new Option('--grace <seconds>', "between TERM and KILL (default: the task's, or 10)").argParser(seconds(0)),
    )
    .addOption(
      new Option('--interval <seconds>', 'between two looks at the issue (default: 30)').argParser(seconds(0.1)),
    )
    .argument('<command...>', 'after --')
    .addHelpText('after', HELP)
    .exitOverride(explainLine)
    .action(act((context, positional, flags) => attend(context, positional, flags)));
}

/** Who writes the command without `--` is told of the command's own options that there are none of that name. */
function explainLine({ exitCode, code, message }: CommanderError): never {
  const isIncomplete = ['commander.unknownOption', 'commander.missingArgument'].includes(code);
  const hint = isIncomplete && !message.includes('\n') ? ': the command, with all that is its own, comes after --' : '';
  throw new CommanderError(exitCode, code, `${message}${hint}`);
}

function seconds(least: number): (text: string) => number {
  return (text) => {
    const number = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
    if (number >= least && number <= LONGEST_SECONDS) return number;
    throw new InvalidArgumentError(`it must be a number of seconds from ${least} to ${LONGEST_SECONDS}.`);
  };
}

interface Flags {
  task?: string;
  issue?: string;
  grace?: number;
  interval?: number;
}

async function attend(
  context: Context,
  [command]: readonly unknown[],
  flags: Readonly<Record<string, unknown>>,
): Promise<number> {
  const order = orderOf(context, command as [string, ...string[]], flags);
  // GitHub's words, and those of whoever closed the issue, are in it.
  const tell = (message: string) =>
    void context.stderr.write(context.json ? `${JSON.stringify({ message })}\n` : `standdown: ${visible(message)}\n`);
  try {
    return await context.attend(order, tell);
  } catch (error) {
    if (!isAttendError(error)) throw error;
    throw new CliError(EXIT_OF[error.code], error.code, visible(error.message));
  }
}

function orderOf(context: Context, argv: [string, ...string[]], flags: Flags): AttendOrder {
  const { task, issue, grace, interval } = flags;
  const graceSeconds = grace ?? null;
  if ((task === undefined) === (issue === undefined)) {
    throw usage(
      `${task === undefined ? 'neither --task nor --issue is' : '--task and --issue are both'} given: accepted is one of them`,
    );
  }
  if (task !== undefined) {
    if (interval !== undefined) throw usage('--interval is for --issue: of a task the app tells at once');
    return { of: 'task', desk: makeTaskDesk(context.client, task), argv, graceSeconds };
  }
  const reference = parseIssueReference(String(issue));
  if (reference === null) throw usage(`--issue: ${JSON.stringify(issue)} is neither owner/name#12 nor its address`);
  const { owner, name, number } = reference;
  const intervalSeconds = interval ?? INTERVAL_SECONDS;
  return { of: 'issue', repository: `${owner}/${name}`, number, argv, graceSeconds, intervalSeconds };
}

/** By name: what only this command needs is loaded by it. */
function isAttendError(error: unknown): error is AttendError {
  return error instanceof Error && error.name === 'AttendError';
}
