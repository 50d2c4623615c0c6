// What an agent keeps in memory with 100 living runs, against itself without any, and what the supervisors beside it take.
import { join } from 'node:path';
import { argumentsOf, takeSnapshot, withDescendants } from '../../dist/runners/process/proc.js';
import { readClaim } from '../../dist/runners/process/records.js';
import { mb, table } from '../support/numbers.mjs';
import { proportionalOf } from '../support/process-memory.mjs';
import { withRunners } from '../support/runner-world.mjs';
import { settled } from '../support/settled.mjs';

const RUNS = 100;
/** Ends by itself if everything else fails. */
const SLEEP = ['sleep', '300'];

export function measureAgent() {
  return withRunners(async (world) => {
    const dataDir = await world.makeDataDir();
    const opened = await world.openAgent({ dataDir });
    const idle = await settled(opened.agent);
    const runIds = await world.startMany(opened.control, RUNS, SLEEP);
    await proveLiving(opened.control, runIds);
    const grown = await settled(opened.agent);
    const containment = opened.control.profile.containment;
    await opened.close();
    const again = await world.openAgent({ dataDir });
    await proveLiving(again.control, runIds);
    const taken = await settled(again.agent);
    return report({ idle, grown, taken, containment, beside: besideAgent(dataDir, runIds) });
  });
}

async function proveLiving(control, runIds) {
  const probes = await control.inspect(runIds);
  const living = [...probes.values()].filter(({ state }) => state === 'running').length;
  if (living !== RUNS) throw new Error(`${living} of ${RUNS} runs are alive`);
}

/** Processes of the runs: their programs, and what supervises them. */
function besideAgent(dataDir, runIds) {
  const supervisors = runIds.map((runId) => readClaim(join(dataDir, 'runs', runId)).supervisor.pid);
  const all = [...withDescendants(supervisors, takeSnapshot())];
  const isProgram = (pid) => argumentsOf(pid)[1] === SLEEP[1];
  return { supervision: summed(all.filter((pid) => !isProgram(pid))), programs: summed(all.filter(isProgram)) };
}

function summed(pids) {
  return { processes: pids.length, bytes: proportionalOf(pids) };
}

function report({ idle, grown, taken, containment, beside }) {
  const kB = (bytes) => `${(bytes / 1e3).toFixed(0)} kB`;
  const row = (name, { rss, heapUsed }) => [
    name,
    mb(rss),
    mb(heapUsed),
    `${(rss / idle.rss).toFixed(2)} ×`,
    rss === idle.rss ? '' : kB((rss - idle.rss) / RUNS),
  ];
  const processes = (name, { processes, bytes }) => [
    name,
    String(processes),
    bytes === null ? 'not told' : mb(bytes),
    bytes === null ? '' : kB(bytes / RUNS),
  ];
  return {
    title: `Resident memory of an agent (${RUNS} living runs, containment ${containment})`,
    table: [
      table([
        ['', 'rss', 'heap used', 'of idle', 'more for each run'],
        row('idle', idle),
        row(`${RUNS} living runs, after starting them`, grown),
        row(`${RUNS} living runs, after a restart`, taken),
      ]),
      table([
        ['processes of their own', 'number', 'memory', 'for each run'],
        processes('supervisors, with what copies the output', beside.supervision),
        processes('programs (sleep)', beside.programs),
      ]),
    ].join('\n\n'),
    meaning:
      'Runs are known by their records on the disk. After a restart the agent has as short a history as the idle one. Pages that ' +
      'processes share are counted once (PSS).',
    aims: [],
  };
}
