/** What commands share: the world they run in, and the two ways of saying something. */
import type { AgentFlags } from '../app/agent/config.ts';
import type { AttendOrder } from '../app/attend/index.ts';
import { readClientConfig } from '../app/config/index.ts';
import { type Client, makeClient } from './client.ts';

export interface Output {
  write(text: string): unknown;
  /** A terminal, of that many columns and rows. */
  isTTY?: boolean;
  columns?: number;
  rows?: number;
}

export interface CliDeps {
  version: string;
  env: Readonly<Record<string, string | undefined>>;
  stdout: Output;
  stderr: Output;
  /** Text of a file, or of standard input for `-`. Throws where it can't be read. */
  readInput(path: string): Promise<string>;
  /** These run until they are done and give the exit code. */
  serve(): Promise<number>;
  demo(options: { stay: boolean }): Promise<number>;
  agent(flags: AgentFlags): Promise<number>;
  attend(order: AttendOrder, tell: (line: string) => void): Promise<number>;
  /** Gives the names of the migrations that it applied. */
  migrate(): Promise<readonly string[]>;
  /** Has Ctrl-C call this instead of ending the process, until the function that it gives is called. */
  onInterrupt(stop: () => void): () => void;
  /** How often `--wait` and `follow` look, in ms; default 1000. */
  pollMs?: number;
}

export interface Context extends CliDeps {
  json: boolean;
  /** `signal` ends its requests. */
  client(signal?: AbortSignal): Client;
  /** The answer itself with `--json`, else its text for people. */
  print(answer: unknown, text: string): void;
  /** Progress for people; silent with `--json`. */
  tell(line: string): void;
}

export function makeContext(deps: CliDeps, json: boolean): Context {
  return {
    ...deps,
    json,
    client: (signal) => makeClient(readClientConfig(deps.env), signal),
    print: (answer, text) => void deps.stdout.write(json ? `${JSON.stringify(answer)}\n` : text),
    tell: (line) => {
      if (!json) deps.stderr.write(`${line}\n`);
    },
  };
}
