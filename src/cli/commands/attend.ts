/** `standdown attend`: a person's own command, stopped by an issue. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { AttendError } from '../../app/attend/index.ts';
import { visible } from '../../core/report/text.ts';
import type { Context } from '../context.ts';
import { CliError, EXIT } from '../exit.ts';
import { parseIssueReference } from '../issue-reference.ts';
import type { Act } from './act.ts';

const HELP = `
Environment: GITHUB_TOKEN, which may read the issue and is not passed on; GHE_HOST, GHE_PROTOCOL

Exit codes: the command's own, or 128 and the signal's number where one ended it; 124 where the issue did. Nothing was
started: 2 usage, 5 the issue is not open, unknown, a pull request or out of reach, 6 no answer from GitHub,
126 the program can't be run, 127 there is none.`;

const EXIT_OF = {
  refused: EXIT.refused,
  unreachable: EXIT.unreachable,
  not_executable: EXIT.notExecutable,
  not_found: EXIT.notFound,
} as const;

/** The longest that a timer takes. */
const LONGEST_SECONDS = 86_400;

export function addAttendCommand(program: Command, act: Act): void {
  program
    .command('attend')
    .description('run a command of your own until it ends, or until an issue closes; needs no app')
    .requiredOption('--issue <owner/name#number>', 'or the address of its page')
    .addOption(new Option('--grace <seconds>', 'between TERM and KILL').default(10).argParser(seconds(0)))
    .addOption(new Option('--interval <seconds>', 'between two looks at the issue').default(30).argParser(seconds(0.1)))
    .argument('<command...>', 'after --')
    .addHelpText('after', HELP)
    .action(act((context, positional, flags) => attend(context, positional, flags)));
}

function seconds(least: number): (text: string) => number {
  return (text) => {
    const number = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
    if (number >= least && number <= LONGEST_SECONDS) return number;
    throw new InvalidArgumentError(`it must be a number of seconds from ${least} to ${LONGEST_SECONDS}.`);
  };
}

async function attend(
  context: Context,
  [command]: readonly unknown[],
  { issue, grace, interval }: Readonly<Record<string, unknown>>,
): Promise<number> {
  const reference = parseIssueReference(String(issue));
  if (reference === null) {
    throw new CliError(
      EXIT.usage,
      'usage',
      `--issue: ${JSON.stringify(issue)} is neither owner/name#12 nor its address`,
    );
  }
  const { owner, name, number } = reference;
  const order = {
    ...{ repository: `${owner}/${name}`, number, argv: command as [string, ...string[]] },
    ...{ graceSeconds: grace as number, intervalSeconds: interval as number },
  };
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

/** By name: what only this command needs is loaded by it. */
function isAttendError(error: unknown): error is AttendError {
  return error instanceof Error && error.name === 'AttendError';
}
