// `npm run bench`: what an answer, a stop, a live run, a task, a look at a batch, a comment, a sweep and an agent cost on this
// machine. Prints tables and writes nothing but temporary files; ends with 0 unless a measurement itself failed. An aim that is missed
// is told, and is no failure. 2: no measure is called so.
import { cpus, totalmem } from 'node:os';
import { measureAgent } from './measures/agent.mjs';
import { measureCancel } from './measures/cancel.mjs';
import { measureInspect } from './measures/inspect.mjs';
import { measureMemory } from './measures/memory.mjs';
import { measureParser } from './measures/parser.mjs';
import { measureScheduling } from './measures/scheduling.mjs';
import { measureStopLatency } from './measures/stop-latency.mjs';
import { measureSweep } from './measures/sweep.mjs';
import { measureThroughput } from './measures/throughput.mjs';
import { measureWebhookAnswered } from './measures/webhook-answered.mjs';

const MEASURES = {
  webhook: measureWebhookAnswered,
  stop: measureStopLatency,
  memory: measureMemory,
  throughput: measureThroughput,
  scheduling: measureScheduling,
  parser: measureParser,
  sweep: measureSweep,
  cancel: measureCancel,
  inspect: measureInspect,
  agent: measureAgent,
};

function printHead() {
  const machine = `${cpus().length} cores, ${(totalmem() / 1e9).toFixed(0)} GB, Node ${process.version}, ${process.platform}`;
  console.log(`Standdown benchmark on this machine (${machine}).`);
  console.log('Absolute times are those of a shared, noisy machine: quote the ratios, which come from one run.\n');
}

function print({ title, table, meaning, aims }) {
  console.log(`${title}\n${table}\n  ${meaning}`);
  for (const { aim, value, met } of aims) console.log(`  Aim: ${aim}. Here: ${value}, ${met ? 'met' : 'MISSED'}.`);
  console.log();
}

/** @param {readonly string[]} wanted names of measures; none: all */
async function main(wanted) {
  printHead();
  for (const [name, measure] of Object.entries(MEASURES)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    console.error(`measuring: ${name} …`);
    print(await measure());
  }
}

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in MEASURES));
if (unknown.length > 0) {
  console.error(
    `No measure is called ${unknown.join(', ')}. There is: ${Object.keys(MEASURES).join(', ')}; without a name, all of them.`,
  );
  process.exitCode = 2;
} else {
  main(wanted).catch((error) => {
    console.error('A measurement failed:', error);
    process.exitCode = 1;
  });
}
