// Whatever is still alive is ended through the runs' own records, so also after an app that was killed.
import { openProcessRunner } from '../../dist/runners/process/index.js';
import { SILENT } from './silent.mjs';

const ROUNDS = 100;

export async function endAllRuns(dataDir) {
  const runner = await openProcessRunner({
    name: 'local',
    dataDir,
    passEnv: [],
    maxRunning: null,
    graceSeconds: 0,
    processEnv: process.env,
    log: SILENT,
    now: () => new Date(),
  });
  try {
    for (let round = 0; round < ROUNDS; round++) {
      const probes = await runner.inspect(await runner.list());
      const alive = [...probes].filter(([, { state }]) => state === 'running').map(([runId]) => runId);
      if (alive.length === 0) return;
      for (const runId of alive) await runner.cancel(runId, 'kill');
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error('some runs of the benchmark are still alive');
  } finally {
    await runner.close();
  }
}
