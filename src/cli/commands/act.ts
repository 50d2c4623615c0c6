/** What every command's action has in common: its context, its positional arguments, its options, its exit code. */
import { type Command, InvalidArgumentError } from 'commander';
import type { Context } from '../context.ts';

type Options = Readonly<Record<string, unknown>>;

type Run = (context: Context, args: readonly string[], options: Options) => Promise<number>;

/** Wraps a command's work into the action that commander calls. */
export type Act = (run: Run) => (this: Command, ...args: unknown[]) => Promise<void>;

export function positiveNumber(text: string): number {
  const number = Number(text);
  if (!(number > 0 && Number.isFinite(number))) throw new InvalidArgumentError('it must be a number above 0.');
  return number;
}

export function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('it must be a whole number from 1 up.');
  return Number(text);
}
