/**
 * `standdown demo`: the real app and real processes against a stand-in GitHub, all on this machine. It shows what happens, checks
 * that it was right, and leaves nothing behind.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { type Expectation, judge, nothingSeen, type Seen } from './expectations.ts';
import { awaitInterruption } from './interruption.ts';
import { makeNarrator, type Narrator } from './narrator.ts';
import { makePlace, type Place } from './stage.ts';
import { stayOpen } from './stay.ts';
import { lookAround, tellStory } from './story.ts';

interface DemoOptions {
  out: (line: string) => void;
  /** Default: where standard output is a terminal and NO_COLOR is not set. */
  colour?: boolean;
  /** Nothing is told or judged: it stays open for people to try. */
  stay?: boolean;
}

interface Telling {
  narrator: Narrator;
  signal: AbortSignal;
  seen: Seen;
  stay: boolean;
}

/** The story may take this long; what is left of a minute is for cleaning up. */
const STORY_MS = 45_000;
const LOG_LINES = 10;

/** Gives the exit code: 0 if everything was as it should be. */
export async function runDemo({ out, colour = wantsColour(), stay = false }: DemoOptions): Promise<number> {
  if (!existsSync('/proc/self/environ')) {
    out('The demo starts real programs and watches them in /proc, so it needs Linux; a container will do.');
    return 1;
  }
  const narrator = makeNarrator(out, colour);
  const place = await makePlace(stay);
  const interruption = awaitInterruption(stay ? null : STORY_MS, place.abandon);
  try {
    const seen = nothingSeen();
    const problem = await perform(place, { narrator, signal: interruption.signal, seen, stay });
    const appLog = problem === null ? [] : await troublesOf(place.logFile);
    const left = await place.close();
    const code = interruption.exitCode();
    if (code !== null) {
      out(`\nInterrupted. ${sayLeft(left)}`);
      return code;
    }
    const story = seen.batch === null ? [] : judge(seen);
    return conclude(narrator, [...story, judgeEnd(place, left)], { problem, appLog });
  } finally {
    interruption.dispose();
  }
}

/** null: told to its end. */
async function perform(place: Place, telling: Telling): Promise<string | null> {
  const { narrator, signal, seen, stay } = telling;
  try {
    narrator.scene('Standdown starts beside a stand-in GitHub; nothing leaves this machine');
    const stage = await place.open();
    signal.throwIfAborted();
    narrator.say(`stand-in GitHub  ${stage.github.url}`);
    narrator.say(`Standdown        ${stage.app.url}`);
    const level = stage.app.deps.runners.get('local')?.profile.containment;
    narrator.say(`processes        ${CONTAINMENTS[level ?? ''] ?? ''}`);
    if (stay) return await stayOpen(stage, narrator, signal).then(() => null);
    const problem = await tellStory(stage, telling).then(() => null, wordsOf);
    await lookAround(stage, seen);
    return problem;
  } catch (error) {
    return wordsOf(error);
  }
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const CONTAINMENTS: Readonly<Record<string, string>> = {
  cgroup: 'held together by a control group for each run',
  pidns: 'held together by a process namespace for each run',
  scan: 'looked for in /proc, as this machine offers nothing stronger',
};

function conclude(
  narrator: Narrator,
  expectations: readonly Expectation[],
  { problem, appLog }: { problem: string | null; appLog: readonly string[] },
): number {
  const failed = expectations.filter(({ held }) => !held).length;
  narrator.scene('What was expected');
  narrator.verdict(expectations);
  if (problem !== null) narrator.failure(`\nThe demo did not come to its end: ${problem}`);
  for (const line of appLog) narrator.failure(`  ${line}`);
  if (failed > 0) narrator.failure(`\n${failed} of ${expectations.length} expectations did not hold.`);
  if (problem !== null || failed > 0) return 1;
  narrator.scene(`All ${expectations.length} expectations held.`);
  return 0;
}

function judgeEnd({ dir }: Place, left: readonly number[]): Expectation {
  return { text: 'nothing of the demo is left: no process, no file', held: left.length === 0 && !existsSync(dir) };
}

function sayLeft(left: readonly number[]): string {
  if (left.length === 0) return 'Every process and file of the demo is gone.';
  return `These processes could not be ended: ${left.join(', ')}.`;
}

/** The last warnings and errors of the app, which are gone with the directory. */
async function troublesOf(logFile: string): Promise<string[]> {
  const text = await readFile(logFile, 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter((line) => /"level":"(warn|error|fatal)"/.test(line))
    .slice(-LOG_LINES);
}

function wantsColour(): boolean {
  return process.stdout.isTTY === true && !process.env.NO_COLOR;
}
