/** The command line: its commands, and how each of its errors becomes one clear line and an exit code. */
import { Command, CommanderError } from 'commander';
import { ConfigError } from '../app/config/index.ts';
import { formatProblem } from '../core/documents/index.ts';
import { StartRefused } from '../engine/ports.ts';
import type { Act } from './commands/act.ts';
import { addAgentCommand } from './commands/agent.ts';
import { addAttendCommand } from './commands/attend.ts';
import { addBatchCommands } from './commands/batch.ts';
import { addDoctorCommand } from './commands/doctor.ts';
import { addExplainCommand } from './commands/explain.ts';
import { addLocalCommands } from './commands/local.ts';
import { addPauseCommands } from './commands/pause.ts';
import { addRepositoriesCommand } from './commands/repositories.ts';
import { addTaskCommands } from './commands/task.ts';
import { type CliDeps, makeContext } from './context.ts';
import { CliError, EXIT } from './exit.ts';

const HELP = `
Environment, also read from .env here: STANDDOWN_URL, where the app is; STANDDOWN_API_TOKEN, its token

Exit codes: 0 done, 1 the work failed, 2 usage, 3 deadline, 4 needs a person, 5 refused, 6 no answer from the app or
from GitHub behind it, 130 interrupted while waiting or following`;

/** Runs one command line (without the program's own name) and gives its exit code. Never throws. */
export async function runCli(args: readonly string[], deps: CliDeps): Promise<number> {
  const ended: { exitCode: number } = { exitCode: EXIT.done };
  // Asked for here, because a line that can't be parsed has no options.
  const json = ownWords(args).includes('--json');
  try {
    await makeProgram(deps, json, ended).parseAsync(args, { from: 'user' });
    return ended.exitCode;
  } catch (error) {
    return tellError(error, deps, json);
  }
}

/** What follows `--` is another program's. */
function ownWords(args: readonly string[]): readonly string[] {
  const end = args.indexOf('--');
  return end < 0 ? args : args.slice(0, end);
}

function makeProgram(deps: CliDeps, json: boolean, ended: { exitCode: number }): Command {
  const program = new Command('standdown')
    .description('Close the issue and the work stands down.')
    .version(deps.version)
    .option('--json', 'answer in JSON, errors too')
    .configureHelp({ showGlobalOptions: true })
    .addHelpText('after', HELP)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void deps.stdout.write(text),
      // Help for a line that lacks a command; errors are told once, by whoever catches them.
      writeErr: (text) => void (json || deps.stderr.write(text)),
      outputError: () => {},
    });
  const act: Act = (run) =>
    async function action(...args) {
      const positional = args.slice(0, -2) as string[];
      ended.exitCode = await run(makeContext(deps, json), positional, this.opts());
    };
  addLocalCommands(program, act);
  addAgentCommand(program, act);
  addAttendCommand(program, act);
  addBatchCommands(program, act);
  addTaskCommands(program, act);
  addPauseCommands(program, act);
  addRepositoriesCommand(program, act);
  addExplainCommand(program, act);
  addDoctorCommand(program, act);
  return program;
}

interface Told {
  exitCode: number;
  code: string;
  message: string;
  problems?: readonly { path: string; message: string }[];
}

function tellError(error: unknown, deps: CliDeps, json: boolean): number {
  const told = describeError(error);
  if (told === null) return EXIT.done;
  const { exitCode, ...shown } = told;
  // A message may hold its one problem already.
  const more = (shown.problems ?? []).map(formatProblem).filter((problem) => !shown.message.includes(problem));
  const lines = [`standdown: ${shown.message}`, ...more.map((problem) => `  ${problem}`)];
  deps.stderr.write(json ? `${JSON.stringify({ error: shown })}\n` : `${lines.join('\n')}\n`);
  return exitCode;
}

/** null: it was no error, e.g. help that was asked for. */
function describeError(error: unknown): Told | null {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return null;
    const message =
      error.code === 'commander.help'
        ? 'a command is missing'
        : error.message.replace(/^(error: )?(command-argument )?/, '');
    return { exitCode: EXIT.usage, code: 'usage', message };
  }
  if (error instanceof CliError) {
    const { exitCode, code, message, problems } = error;
    return { exitCode, code, message, ...(problems.length > 0 && { problems }) };
  }
  if (error instanceof ConfigError) {
    const problems = error.problems.map(({ key, message }) => ({ path: key, message }));
    return { exitCode: EXIT.usage, code: error.code, message: 'the configuration is wrong', problems };
  }
  return {
    exitCode: EXIT.workFailed,
    code: error instanceof StartRefused ? 'not_started' : 'internal',
    message: error instanceof Error ? error.message : String(error),
  };
}
