/** Whether a task may run where it names, by what the operator gave its repository. Nothing here asks a runner. */
import { ATTENDED } from '../core/attended.ts';
import type { Problem } from '../core/documents/index.ts';
import type { TaskSpec } from '../core/documents/spec.ts';
import type { Deps } from './deps.ts';
import type { RunnerProfile } from './ports.ts';

/** `path`: of the task in its document, which the problems' paths begin with; empty: none. */
export function runnerProblems(
  { runners }: Pick<Deps, 'runners'>,
  spec: TaskSpec,
  { repository, path = '' }: { repository: string; path?: string },
): Problem[] {
  const below = path === '' ? '' : `${path}.`;
  const runner = runners.get(spec.runsOn);
  if (runner === null) {
    const names = runners.names().join(', ');
    const there =
      names === '' ? "the operator's file configures none" : `there is: ${names}; ${ATTENDED} is for people alone`;
    return [{ path: `${below}runs_on`, message: `no runner is called ${spec.runsOn}; ${there}` }];
  }
  if (runners.allows(spec.runsOn, repository)) return envFromProblems(below, spec, runner.profile);
  const message = `the operator's file gives ${spec.runsOn} to other repositories, not to ${repository}`;
  return [{ path: `${below}runs_on`, message }];
}

function envFromProblems(below: string, { envFrom, runsOn }: TaskSpec, { passEnv }: RunnerProfile): Problem[] {
  const passed = passEnv.length === 0 ? 'it passes none' : `it passes: ${passEnv.join(', ')}`;
  return envFrom.flatMap((name, index) => {
    if (passEnv.includes(name)) return [];
    return [{ path: `${below}env_from[${index}]`, message: `runner ${runsOn} does not pass ${name}; ${passed}` }];
  });
}
