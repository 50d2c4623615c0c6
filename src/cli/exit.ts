/** How the command line ends: its exit codes, and the one error that carries one. */
import type { Problem } from '../core/documents/index.ts';

export const EXIT = {
  done: 0,
  /** The work failed, not the command. */
  workFailed: 1,
  usage: 2,
  deadline: 3,
  needsPerson: 4,
  refused: 5,
  unreachable: 6,
  /** Of an attended command, as shells tell it: its program can't be run, or there is none. */
  notExecutable: 126,
  notFound: 127,
  /** By Ctrl-C, as shells tell it. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export class CliError extends Error {
  override readonly name = 'CliError';
  readonly exitCode: ExitCode;
  readonly code: string;
  readonly problems: readonly Problem[];

  constructor(exitCode: ExitCode, code: string, message: string, problems: readonly Problem[] = []) {
    super(message);
    this.exitCode = exitCode;
    this.code = code;
    this.problems = problems;
  }
}
