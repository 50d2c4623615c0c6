/** What can be said in a comment: the verbs of `/task` and of `/batch`, what each takes, and what it does. */

export interface VerbUsage {
  /** What follows the verb: `<…>` must be there, `[…]` may. Empty: nothing. */
  takes: string;
  /** In a few words, to go on after the command itself. */
  does: string;
}

export const VERBS_OF = {
  task: {
    run: { takes: '<template> [key=value …]', does: 'starts a task from a template of the repository’s file' },
    cancel: { takes: '[task]', does: 'stops what runs and takes what waits off the list' },
    retry: { takes: '[task]', does: 'runs again what failed or was stopped' },
    done: { takes: '[task]', does: 'counts as done: what runs is stopped, and what needs it goes on' },
    skip: { takes: '[task]', does: 'leaves it out; what needs it goes on' },
    hold: { takes: '[task]', does: 'starts nothing until it is released; what runs goes on' },
    release: { takes: '[task]', does: 'takes a hold or a block away' },
    block: { takes: '<question>', does: 'starts nothing until the question is answered' },
    answer: { takes: '<text>', does: 'answers the question that a task waits for' },
    link: { takes: '<task>', does: 'ties a task to this issue' },
    unlink: { takes: '<task>', does: 'unties a task from this issue' },
    status: { takes: '[task]', does: 'tells how the tasks are' },
    logs: { takes: '[task]', does: 'shows the end of the output' },
    help: { takes: '', does: 'shows what can be said' },
  },
  batch: {
    run: { takes: '<name>', does: 'starts a batch of the repository’s file' },
    cancel: { takes: '[batch]', does: 'ends a batch' },
    resume: { takes: '[batch]', does: 'lets a batch go on' },
    status: { takes: '[batch]', does: 'tells how a batch is' },
    help: { takes: '', does: 'shows what can be said' },
  },
} as const satisfies Record<'task' | 'batch', Record<string, VerbUsage>>;

export type CommandWord = keyof typeof VERBS_OF;

/** How a command begins: `/task`, or `/bot task` where the prefix is `bot`. */
export function commandStart(of: CommandWord, prefix: string): string {
  return prefix === '' ? `/${of}` : `/${prefix} ${of}`;
}

/** As one would write it: `/task run <template> [key=value …]`. */
export function usageOf(of: CommandWord, verb: string, prefix: string): string {
  const verbs: Readonly<Record<string, VerbUsage>> = VERBS_OF[of];
  return [commandStart(of, prefix), verb, verbs[verb]?.takes ?? ''].filter((part) => part !== '').join(' ');
}
