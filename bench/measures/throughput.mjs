// How many tasks a second: 1,000 that do nothing, 8 at once, beside programs that only start commands and keep nothing.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { median, table } from '../support/numbers.mjs';
import { REPOSITORY, rest, until, withWorld } from '../support/world.mjs';

const TASKS = 1_000;
const AT_ONCE = 8;
const ROUNDS = 3;
/** Of the plain programs, which are done in a moment. */
const PLAIN_ROUNDS = 5;

export function measureThroughput() {
  return withWorld(async (world) => {
    const app = await world.startApp();
    const makefile = join(world.dir, 'Makefile');
    await writeFile(makefile, makefileText());
    const plain = { xargs: [], make: [] };
    const standdown = [];
    // In turns, so that what else the machine does falls on all of them.
    for (let round = 0; round < PLAIN_ROUNDS; round++) {
      plain.xargs.push(await timed(() => runXargs()));
      plain.make.push(await timed(() => run('make', ['-s', `-j${AT_ONCE}`, '-f', makefile, 'all'])));
      if (round < ROUNDS) standdown.push(await timed(() => runBatch(app, round)));
    }
    return report({ standdown, ...plain });
  });
}

/** Seconds. */
async function timed(work) {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1_000;
}

async function runBatch(app, round) {
  const tasks = Object.fromEntries(
    Array.from({ length: TASKS }, (_, i) => [`t${i}`, { runs_on: 'local', run: ['true'] }]),
  );
  const document = { repository: REPOSITORY, name: `noop-${round}`, max_parallel: AT_ONCE, tasks };
  const { id } = await rest(app, 'POST', '/batches', document);
  const isOver = async () => {
    const page = await rest(app, 'GET', `/batches?repository=${REPOSITORY}`);
    return page.items.find((batch) => batch.id === id)?.state === 'completed';
  };
  await until('the batch is completed', isOver, { seconds: 300, everyMs: 100 });
}

async function run(program, args, input = '') {
  const child = spawn(program, args, { stdio: ['pipe', 'ignore', 'inherit'] });
  child.stdin.end(input);
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`${program} ended with ${code}`);
}

function runXargs() {
  return run(
    'xargs',
    ['-P', String(AT_ONCE), '-n', '1', 'true'],
    Array.from({ length: TASKS }, (_, i) => i).join('\n'),
  );
}

function makefileText() {
  const targets = Array.from({ length: TASKS }, (_, i) => `t${i}`);
  // Through /bin/true, as the tasks: without a path make would see that it needs no process at all.
  return `all: ${targets.join(' ')}\n${targets.join(' ')}:\n\t@/bin/true $@\n.PHONY: all ${targets.join(' ')}\n`;
}

function report({ standdown, xargs, make }) {
  const ours = median(standdown);
  const row = (name, seconds) => [
    name,
    `${median(seconds).toFixed(2)} s`,
    (TASKS / median(seconds)).toFixed(0),
    `${(ours / median(seconds)).toFixed(1)} ×`,
  ];
  return {
    title: `${TASKS.toLocaleString('en')} tasks that do nothing, ${AT_ONCE} at once`,
    table: table([
      ['', 'time', 'a second', 'Standdown takes'],
      row('Standdown', standdown),
      row('make', make),
      row('xargs', xargs),
    ]),
    meaning:
      'The others start a process and forget it. Standdown writes each run down before it starts and after it is seen gone, ' +
      'keeps its output, and gives it a supervisor that outlives the app: that is the price per task, whatever the task takes.',
    aims: [],
  };
}
