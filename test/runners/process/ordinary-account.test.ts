/** The whole contract for an app that is not root: in a process of its own, and with a group of its own for `cgroup`. */
import { chownSync, mkdirSync, readFileSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JobControl } from '../../../src/engine/ports/runner.ts';
import { ownGroup } from '../../../src/runners/process/containment/probe.ts';
import { describeJobControl } from '../../contract/job-control.ts';
import {
  BECOME_NOBODY,
  isRoot,
  LEVELS,
  makeOptions,
  NOBODY,
  removeRunner,
  takeRecordsAway,
  underContract,
} from '../../support/process-runner.ts';
import { removeDirectory } from '../../support/processes.ts';
import { bundleHost, openHost } from '../../support/runner-host.ts';

let dir: string;
beforeAll(async () => {
  dir = await bundleHost();
});
afterAll(() => removeDirectory(dir));

// Only root can become somebody else; the tests of the levels already run for anybody else's account.
const become = isRoot ? BECOME_NOBODY : [];

describe.each(LEVELS)('at the level %s', (level) => {
  describeJobControl(level, async () => {
    const runner = makeOptions(level, isRoot ? NOBODY : null);
    const group = level === 'cgroup' ? delegateGroup() : null;
    const enter = group === null ? [] : ['sh', '-c', 'echo 0 >"$0/cgroup.procs"; exec "$@"', group];
    const openAgain = () => openHost({ dir, prefix: [...enter, ...become], runner });
    let host = await openAgain();
    const restart = async (): Promise<JobControl> => {
      await host.kill();
      host = await openAgain();
      return host.control;
    };
    const close = async (): Promise<void> => {
      await host.control.close();
      removeRunner(runner);
      if (group !== null) rmdirSync(group);
    };
    return { ...underContract(host.control, runner), restart, cutOff: () => takeRecordsAway(runner), close };
  });
});

it('takes the best level that is there, and tells why a better one is not', async () => {
  const { level: _, ...runner } = makeOptions('scan', isRoot ? NOBODY : null);
  const host = await openHost({ dir, prefix: become, runner });
  try {
    expect(host.control.profile.containment).toBe('pidns');
    expect(host.control.profile.notes).toEqual([expect.stringMatching(/^cgroup is not available: .*(EACCES|EROFS)/)]);
    await expect(openHost({ dir, prefix: become, runner: { ...runner, level: 'cgroup' } })).rejects.toThrow(
      'cgroup is not available',
    );
  } finally {
    await host.control.close();
    removeRunner({ ...runner, level: 'scan' });
  }
});

/** A group that the ordinary account owns, as systemd's `Delegate=yes` gives one. */
function delegateGroup(): string {
  const own = ownGroup(readFileSync('/proc/self/mountinfo', 'utf8'), readFileSync('/proc/self/cgroup', 'utf8'));
  const group = join(own, `standdown-test-${process.pid}`);
  mkdirSync(group);
  for (const name of ['', 'cgroup.procs', 'cgroup.subtree_control', 'cgroup.threads']) {
    chownSync(join(group, name), NOBODY, NOBODY);
  }
  return group;
}
