/** What a task says beside where it runs, and what of that has no meaning there. Pure. */
import { ATTENDED } from '../attended.ts';
import type { Finding } from './problem.ts';
import type { TaskSpec } from './spec.ts';
import { NO_PROGRAM, type OwnSpec } from './task.ts';

/** What only a runner can heed, as it is where nothing is asked of it. */
const ASKS_NOTHING = {
  env: {},
  envFrom: [],
  stallMinutes: 0,
  workingDirectory: null,
} satisfies Partial<TaskSpec>;

/** What the runner does not go with, wherever each of the two comes from. */
export function placeFindings({ runsOn, run, verify }: TaskSpec): Finding[] {
  if (runsOn !== ATTENDED) return run.length === 0 ? [{ keys: ['run'], message: NO_PROGRAM }] : [];
  return verify ? [stray('verify', 'there is no runner to run it', 'null')] : [];
}

/** What is written at the task itself and can't be heeded: what it has from its template is for where that runs. */
export function strayFindings(runsOn: string, own: Pick<OwnSpec, keyof typeof ASKS_NOTHING>): Finding[] {
  if (runsOn !== ATTENDED) return [];
  const { env, envFrom, stallMinutes, workingDirectory } = { ...ASKS_NOTHING, ...own };
  return [
    ...(Object.keys(env).length > 0
      ? [stray('env', 'the command has the environment of whoever attends it', '{}')]
      : []),
    ...(envFrom.length > 0 ? [stray('env_from', 'there is no runner to pass anything', '[]')] : []),
    ...(stallMinutes > 0 ? [stray('stall_minutes', 'its output is not seen', '0')] : []),
    ...(workingDirectory === null
      ? []
      : [stray('working_directory', 'the command starts where whoever attends it is', 'null')]),
  ];
}

/** Without what `strayFindings` tells of. */
export function withoutStray(spec: TaskSpec): TaskSpec {
  return spec.runsOn === ATTENDED ? { ...spec, ...ASKS_NOTHING } : spec;
}

function stray(key: string, why: string, accepted: string): Finding {
  return { keys: [key], message: `must not be there where runs_on is ${ATTENDED}: ${why}; accepted: ${accepted}` };
}
