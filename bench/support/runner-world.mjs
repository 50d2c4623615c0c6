// A directory, runners of this machine and agents on it, and their runs: for what is measured of runners alone, without an app.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CONTAINMENTS } from '../../dist/runners/process/containment/level.js';
import { openProcessRunner } from '../../dist/runners/process/index.js';
import { openByAgent, startAgent } from './agent.mjs';
import { endAllRuns } from './end-all-runs.mjs';
import { unlessInterrupted } from './interruption.mjs';
import { SILENT } from './silent.mjs';

const AT_ONCE = 8;

/** Ends every process that `measure` started, also where it fails. */
export async function withRunners(measure) {
  const dir = await mkdtemp(join(tmpdir(), 'standdown-bench-'));
  const world = makeWorld(dir);
  try {
    return await unlessInterrupted(measure(world));
  } finally {
    await world.close();
    await rm(dir, { recursive: true, force: true, maxRetries: 5 });
  }
}

function makeWorld(dir) {
  const dataDirs = [];
  const opened = new Set();
  /** Orders that are under way: what they start has no record yet by which it could be ended. */
  const starting = new Set();
  let closing = false;
  let ids = 0;

  /** Closed by whoever opened it, or with the world: at once where that is closed already. */
  async function keep(what) {
    if (closing) await what.close();
    refuseLate();
    const close = () => {
      opened.delete(what);
      return what.close();
    };
    opened.add(what);
    return close;
  }

  function refuseLate() {
    if (closing) throw new Error('the measurement is over');
  }

  async function openLocal(dataDir, level) {
    const control = await openProcessRunner({
      ...{ name: 'local', dataDir, level, passEnv: [], maxRunning: null, graceSeconds: 0 },
      ...{ processEnv: process.env, log: SILENT, now: () => new Date() },
    });
    return { control, close: await keep(control) };
  }

  async function openAgent(options) {
    const agent = await startAgent({ dir, ...options });
    const closeAgent = await keep(agent);
    const control = openByAgent(agent);
    const closeControl = await keep(control);
    const close = async () => {
      await closeControl();
      await closeAgent();
    };
    return { control, agent, close };
  }

  /** Returns the run's id. */
  async function start(control, argv) {
    refuseLate();
    ids += 1;
    const runId = `run_${ids}`;
    const order = { runId, taskId: 'task_of_all', argv, env: {}, envFrom: [], workingDirectory: null };
    const started = control.start(order).finally(() => starting.delete(started));
    starting.add(started);
    const { result } = await started;
    if (result !== 'started') throw new Error(`a run was not started: ${result}`);
    return runId;
  }

  return {
    dir,
    openLocal,
    openAgent,
    start,
    async makeDataDir() {
      const dataDir = join(dir, `data-${dataDirs.length}`);
      await mkdir(dataDir);
      dataDirs.push(dataDir);
      return dataDir;
    },
    async startMany(control, count, argv) {
      const runIds = [];
      let left = count;
      const starter = async () => {
        while (left-- > 0) runIds.push(await start(control, argv));
      };
      await Promise.all(Array.from({ length: AT_ONCE }, starter));
      return runIds;
    },
    async close() {
      closing = true;
      await Promise.allSettled(starting);
      for (const what of [...opened].reverse()) await what.close();
      for (const dataDir of dataDirs) await endAllRuns(dataDir);
    },
  };
}

/**
 * The levels of containment that this machine gives, the best first.
 * @param {string} dataDir of nobody else
 */
export async function levelsHere(world, dataDir) {
  const { control, close } = await world.openLocal(dataDir);
  const lacking = control.profile.notes.map((note) => note.split(' ')[0]);
  await close();
  return CONTAINMENTS.filter((level) => !lacking.includes(level));
}
