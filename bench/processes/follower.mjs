// Follows the issues of a stand-in GitHub on a database, in one of these ways. Tells what it costs, and when each task was written
// down as ended.
// - `sweep`: as Standdown does, by what changed in each repository.
// - `poll`, `poll_with_etags`: by one request for each issue that a task is linked to, and as little else as that takes.
// - `check`: by one request for each, too, as the engine's library does where a GitHub can't list: each answer is written down.
import { readFileSync } from 'node:fs';
import { eachOf } from '../../dist/engine/each-of.js';
import { startEngine } from '../../dist/engine/engine.js';
import { applyChanges, checkAllActive } from '../../dist/engine/index.js';
import { repositoryKey } from '../../dist/engine/keys.js';
import { makePolicyOf } from '../../dist/engine/policies.js';
import { readIssue } from '../../dist/engine/read-issue.js';
import { openStore } from '../../dist/store/index.js';
import { makeDeps, makeReader } from '../support/engine-deps.mjs';
import { SILENT } from '../support/silent.mjs';
import { answerParent, now } from './answer-parent.mjs';

const { way, file, access, sweepSeconds } = JSON.parse(process.env.FOLLOW);
const ISSUES_AT_ONCE = 400;
const READS_AT_ONCE = 8;
/** ETags of issues; as many as the product remembers where nothing is said. */
const REMEMBERED = { poll: 0, poll_with_etags: 200_000, check: 0 };
const ENDED = ['done', 'failed', 'cancelled', 'skipped'];
const LOOK_MS = 20;
/** The looks at the runners, at what lives there unwanted, and at what is old. */
const BY_THE_CLOCK = 3;
const WORKED_OFF_MS = 300_000;

let engine = null;
const opened = await openStore({
  databaseUrl: `file:${file}`,
  now: () => new Date(),
  log: SILENT,
  onEnqueued: (what, dueAt) => engine?.wake(what, dueAt),
});
/** When tasks ended, and which version of its issue was written down last. */
const ends = new Map();
const versions = new Map();
const keyOf = ({ repositoryId, number }) => `${repositoryId}#${number}`;
const store = { ...opened, commit: commitAndNote };
const remembered = REMEMBERED[way];
const deps = makeDeps({
  store,
  github: makeReader(access, remembered === undefined ? {} : { rememberedIssues: remembered }),
  policyOf: makePolicyOf(store, () => ({})),
  // Many closes come one after the other here: that GitHub is asked once more before so many stops is no part of noticing them.
  limits: { maxRunning: 64, maxRunningPerRepository: 64, massStop: 1e9 },
});

async function commitAndNote(writes) {
  const kept = await opened.commit(writes);
  if (!kept) return false;
  for (const { write, id, ref, set } of writes) {
    if (write === 'task.update' && ENDED.includes(set.state)) ends.set(id, now());
    if (write === 'issue.update' && set.updatedAt !== undefined) versions.set(keyOf(ref), set.updatedAt.getTime());
  }
  return true;
}

const WAYS = { sweep: sweepAll, poll: pollAll, poll_with_etags: pollAll, check: checkAll };

/** Every repository's turn comes now, by its key in the queue; over once nothing is left of that, nor of what it found. */
async function sweepAll() {
  const dueAt = new Date();
  const ids = (await store.repositories()).map(({ id }) => id);
  await store.queue.enqueue(ids.map((id) => ({ key: repositoryKey(id), dueAt })));
  await workedOff();
}

/** All that is left is what comes by the clock. */
async function workedOff() {
  const deadline = performance.now() + WORKED_OFF_MS;
  while ((await store.queries.backlog()).keys > BY_THE_CLOCK) {
    if (performance.now() > deadline) throw new Error('the queue does not get empty');
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  const problem = (await store.repositoryStates()).find(({ sweepProblem }) => sweepProblem !== null)?.sweepProblem;
  if (problem !== undefined) throw new Error(`a repository was not swept: ${problem.message}`);
}

/** What is stored is read by hundreds, and written only where an answer says otherwise: whoever asks for each issue needs no less. */
async function pollAll() {
  for (const { id } of await store.repositories()) {
    for (let after = 0; ; ) {
      const numbers = await store.trackedNumbers(id, { since: new Date(0), after, limit: ISSUES_AT_ONCE });
      await eachOf(await store.issuesOf(id, numbers), READS_AT_ONCE, (known) => poll(known));
      if (numbers.length < ISSUES_AT_ONCE) break;
      after = numbers.at(-1);
    }
  }
}

async function poll(known) {
  const reading = await deps.github.readIssue(await repositoryOf(known.repositoryId), known.number);
  if (reading.found !== 'issue') throw new Error(`issue ${known.number} is ${reading.found}`);
  if (reading.issue.updatedAt.getTime() === known.updatedAt.getTime()) return;
  // The answer is here already.
  const answered = { ...deps, github: { ...deps.github, readIssue: async () => reading } };
  await readIssue(answered, known);
  if (reading.issue.state === known.state) return;
  const issue = { repositoryId: known.repositoryId, number: known.number };
  const tasks = await store.tasksOfIssue(issue);
  await apply(tasks.map(({ id }) => ({ taskId: id, kind: 'closed', source: 'github', issue })));
}

const repositories = new Map();
async function repositoryOf(id) {
  if (!repositories.has(id)) repositories.set(id, await store.repository(id));
  return repositories.get(id);
}

async function checkAll() {
  const { changes, errors } = await checkAllActive(deps);
  if (errors.length > 0) throw new Error(errors[0].message);
  await apply(changes);
}

async function apply(changes) {
  const { errors } = await applyChanges(deps, changes);
  if (errors.length > 0) throw new Error(errors[0].message);
}

async function costOf(work) {
  const started = performance.now();
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return { wallMs: performance.now() - started, cpuMs: (user + system) / 1_000 };
}

/** The engine looks at every issue once before it does anything else: that is what this costs. */
async function start() {
  if (way !== 'sweep') return costOf(() => {});
  const cost = await costOf(async () => {
    engine = await startEngine(deps, { sweepSeconds, owner: `bench-${process.pid}`, firstSweepMs: 600_000 });
  });
  if (sweepSeconds === 0) await workedOff();
  return cost;
}

/** The most memory that this process ever had, as the kernel has seen it. */
function peakMemory() {
  const [, kB] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'));
  return Number(kB) * 1_024;
}

answerParent(null, {
  start,
  pass: () => costOf(WAYS[way]),
  ends: () => [...ends],
  versions: () => [...versions],
  peakMemory,
  async close() {
    await engine?.stop();
    await opened.close();
  },
});
