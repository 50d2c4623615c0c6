/** The whole contract by an agent, at the best level that its machine gives. */
import type { JobControl } from '../../../src/engine/ports/runner.ts';
import { describeJobControl } from '../../contract/job-control.ts';
import { openByAgent, startTestAgent } from '../../support/agent.ts';
import { makeOptions, removeRunner, underContract } from '../../support/process-runner.ts';

describeJobControl('agent', async () => {
  const options = makeOptions('scan');
  let agent = await startTestAgent(options);
  let control = openByAgent(agent.url);
  const restart = async (): Promise<JobControl> => {
    await control.close();
    await agent.close(0);
    agent = await startTestAgent(options);
    control = openByAgent(agent.url);
    return control;
  };
  const cutOff = async () => {
    const port = Number(new URL(agent.url).port);
    await agent.close(0);
    return async () => {
      agent = await startTestAgent(options, port);
    };
  };
  const close = async (): Promise<void> => {
    await control.close();
    await agent.close(0);
    removeRunner(options);
  };
  return { ...underContract(control, options), restart, cutOff, close };
});
