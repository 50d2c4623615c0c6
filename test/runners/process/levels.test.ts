/** The whole contract at every level that this machine gives, for the account of the tests. */
import { describe } from 'vitest';
import { describeJobControl } from '../../contract/job-control.ts';
import { LEVELS, makeOptions, open, removeRunner, underContract } from '../../support/process-runner.ts';

describe.each(LEVELS)('at the level %s', (level) => {
  describeJobControl(level, async () => {
    const options = makeOptions(level);
    const control = await open(options);
    const close = async (): Promise<void> => {
      await control.close();
      removeRunner(options);
    };
    return { ...underContract(control, options), close };
  });
});
