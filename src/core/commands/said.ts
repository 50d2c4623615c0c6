/** What one line of a comment says to Standdown, by its grammar alone: whether it may, and what it means here, is decided later. */

export type TaskSelection =
  /** `task`: its key or id; null: those of the issue. */
  | {
      of: 'task';
      verb: 'cancel' | 'retry' | 'done' | 'skip' | 'hold' | 'release' | 'status' | 'logs';
      task: string | null;
    }
  /** Of the same shape; the first word of the text may name the task, where the issue has several. */
  | { of: 'task'; verb: 'block' | 'answer'; text: string }
  | { of: 'task'; verb: 'link' | 'unlink'; task: string };

export type Said =
  | TaskSelection
  | { of: 'task'; verb: 'run'; template: string; inputs: Readonly<Record<string, string>> }
  | { of: 'batch'; verb: 'run'; batch: string }
  /** `batch`: its name or id; null: that of the issue. */
  | { of: 'batch'; verb: 'cancel' | 'resume' | 'status'; batch: string | null }
  | { of: 'task' | 'batch'; verb: 'help' }
  /** The first word after `/task` or `/batch` is no verb of it, or there is none. */
  | { of: 'task' | 'batch'; verb: 'unknown'; word: string }
  /** The verb is one, what follows it is not what it takes: what is wrong, and what is accepted, in plain words. */
  | { of: 'task' | 'batch'; verb: 'wrong'; meant: string; problem: string };

export interface SaidLine {
  /** As it was written, without what surrounds it; at most 200 characters. */
  line: string;
  said: Said;
}

export interface SaidCommands {
  /** In the order of the text, at most `MAX_COMMANDS`. */
  lines: readonly SaidLine[];
  /** How many more there were. They are not carried out. */
  dropped: number;
}

/** More than a person says in one comment. */
export const MAX_COMMANDS = 20;
