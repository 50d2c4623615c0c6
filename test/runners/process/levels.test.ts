/** The whole contract at every level that this machine gives, for the account of the tests. */
import { describe } from 'vitest';
import type { JobControl } from '../../../src/engine/ports/runner.ts';
import { describeJobControl } from '../../contract/job-control.ts';
import {
  LEVELS,
  makeOptions,
  open,
  removeRunner,
  takeRecordsAway,
  underContract,
} from '../../support/process-runner.ts';

describe.each(LEVELS)('at the level %s', (level) => {
  describeJobControl(level, async () => {
    const options = makeOptions(level);
    let control = await open(options);
    const close = async (): Promise<void> => {
      await control.close();
      removeRunner(options);
    };
    const restart = async (): Promise<JobControl> => {
      await control.close();
      control = await open(options);
      return control;
    };
    return { ...underContract(control, options), restart, cutOff: () => takeRecordsAway(options), close };
  });
});
