/** Signals to whoever attends a command are for the command. */
import { readFileSync } from 'node:fs';
import type { Attended } from '../../runners/process/attended/command.ts';

const TO_ALL: readonly NodeJS.Signals[] = ['SIGINT', 'SIGQUIT', 'SIGHUP'];
const TO_FIRST: readonly NodeJS.Signals[] = ['SIGUSR1', 'SIGUSR2'];

export interface PassedSignals {
  /** Whose they are. What comes before is nobody's. */
  to(tree: Attended['tree']): void;
  /** TERM came: it is not passed on here, the whole tree is to be stopped. */
  termed: Promise<void>;
  /** A second one came: no more patience. */
  force: AbortSignal;
  giveBack(): void;
}

export interface CaughtSignals {
  first(): NodeJS.Signals | null;
  /** Aborts with that. */
  told: AbortSignal;
  /** A second one came: no more patience. */
  force: AbortSignal;
  giveBack(): void;
}

const TO_END = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;

/** While there is no command yet, or none any more: what asks for the end is for what is still to be said to the app. */
export function catchSignals(onFirst: () => void): CaughtSignals {
  const told = new AbortController();
  const force = new AbortController();
  let first: NodeJS.Signals | null = null;
  function take(signal: NodeJS.Signals): void {
    if (first !== null) {
      force.abort();
      return;
    }
    first = signal;
    told.abort();
    onFirst();
  }
  for (const signal of TO_END) process.on(signal, take);
  return {
    ...{ first: () => first, told: told.signal, force: force.signal },
    giveBack() {
      for (const signal of TO_END) process.off(signal, take);
    },
  };
}

/** Begins at once, so that a command is never alive without it. */
export function passSignals(): PassedSignals {
  const force = new AbortController();
  let tree: Attended['tree'] | null = null;
  let onTerm: (() => void) | null = null;
  const termed = new Promise<void>((resolve) => {
    onTerm = resolve;
  });
  function take(signal: NodeJS.Signals): void {
    if (signal === 'SIGTERM') {
      if (onTerm === null) force.abort();
      onTerm?.();
      onTerm = null;
    } else if (TO_FIRST.includes(signal)) tree?.signalFirst(signal);
    else if (!isFromTerminal(signal)) tree?.signal(signal);
  }
  const signals = [...TO_ALL, ...TO_FIRST, 'SIGTERM'] as const;
  for (const signal of signals) process.on(signal, take);
  return {
    to(command) {
      tree = command;
    },
    termed,
    force: force.signal,
    giveBack() {
      for (const signal of signals) process.off(signal, take);
    },
  };
}

/** Who sent it can't be asked. A terminal sends INT and QUIT to its whole foreground group: passed on, they would come twice. */
function isFromTerminal(signal: NodeJS.Signals): boolean {
  if (signal === 'SIGHUP') return false;
  const stat = readFileSync('/proc/self/stat', 'latin1');
  // After the name: state, parent, group, session, terminal, the terminal's foreground group (-1: there is no terminal).
  const [, , group, , , foreground] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return group === foreground;
}
