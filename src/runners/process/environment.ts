/** A run's environment: what it needs to work, what its order names, and nothing else of the app's. */
import type { StartOrder } from '../../engine/ports/runner.ts';
import { MARK_VARIABLE } from './containment/scan.ts';

const STANDARD_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface EnvironmentSource {
  processEnv: Environment;
  /** What the operator lets templates ask for. */
  passEnv: readonly string[];
  /** Of the account that runs belong to; null: the app's own. */
  home: string | null;
}

/** The run's own places. */
interface OwnPlaces {
  records: string;
  result: string;
}

export function environmentOf(order: StartOrder, own: OwnPlaces, source: EnvironmentSource): Record<string, string> {
  const { processEnv, passEnv, home } = source;
  const env: Record<string, string> = { PATH: processEnv.PATH ?? STANDARD_PATH };
  const take = (name: string): void => {
    const value = processEnv[name];
    if (value !== undefined) env[name] = value;
  };
  for (const name of Object.keys(processEnv)) if (/^(LANG|LANGUAGE|LC_[A-Z]+|TZ|HOME)$/.test(name)) take(name);
  if (home !== null) env.HOME = home;
  for (const name of order.envFrom) if (passEnv.includes(name)) take(name);
  const told = { STANDDOWN_RUN_ID: order.runId, STANDDOWN_RESULT_FILE: own.result, [MARK_VARIABLE]: own.records };
  return { ...env, ...order.env, ...told };
}

/** The supervisor's own: where its tools are, and no value that an order could choose. */
export function supervisorEnvironment(processEnv: Environment): Record<string, string> {
  return { PATH: [processEnv.PATH, STANDARD_PATH].filter(Boolean).join(':') };
}

/** The first reason why a shell couldn't set it. */
export function problemOfEnvironment(env: Readonly<Record<string, string>>): string | null {
  for (const [name, value] of Object.entries(env)) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
      return `${JSON.stringify(name)} is no name of an environment variable (letters, digits and _)`;
    }
    if (value.includes('\0')) return `the value of ${name} holds a NUL character`;
  }
  return null;
}

/** Shell text that sets it. The last line proves that the text is whole. */
export function environmentText(env: Readonly<Record<string, string>>, runId: string): string {
  const lines = Object.entries(env).map(([name, value]) => `export ${name}='${value.replaceAll("'", "'\\''")}'`);
  return [...lines, `#end ${runId}`].join('\n');
}
