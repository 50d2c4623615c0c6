// How fast the commands of comments are found: in long comments as people write them, and in the worst that somebody could send,
// where the time must grow with the length and no faster.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { parseComment } from '../../dist/core/commands/parse.js';
import { makeComments } from '../support/comments.mjs';
import { fastest } from '../support/fastest.mjs';
import { between, GAPS, HOSTILE } from '../support/hostile-markdown.mjs';
import { ms, table } from '../support/numbers.mjs';

const COMMENTS = 100;
const COMMENT_SIZE = 20_000;
const SIZES = [1_000, 10_000, 100_000];
/** The most that GitHub takes. */
const LONGEST = 65_536;
/** For ten times the length: 10 is linear, 100 quadratic. */
const AIM_GROWTH = 20;
const AIM_LONGEST_MS = 50;

export async function measureParser() {
  const comments = makeComments(COMMENTS, COMMENT_SIZE);
  const speeds = [
    ['commands at both ends', speedOf(comments.map((text) => between(text, '\n\n')))],
    ['a command in each paragraph', speedOf(comments.map((text) => text.replaceAll('\n\n', '\n\n/task status\n')))],
    ['no command', speedOf(comments)],
  ];
  const growths = await measureGrowths();
  return report(
    speeds,
    Object.entries(HOSTILE).map(([name, make]) => costsOf(name, make, growths[name])),
  );
}

/** MB per second of processor time. */
function speedOf(texts) {
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  const time = fastest(() => {
    for (const text of texts) parseComment(text, '');
  });
  return bytes / 1e6 / (time / 1_000);
}

async function measureGrowths() {
  const worker = new Worker(new URL('../processes/parser-growths.mjs', import.meta.url), {
    workerData: { sizes: SIZES },
    resourceLimits: { maxYoungGenerationSizeMb: 512 },
  });
  const [growths] = await once(worker, 'message');
  return growths;
}

/** Of whichever gap takes longer. */
function costsOf(name, make, timesOfGaps) {
  const costs = GAPS.map((gap, i) => {
    const body = between(make(LONGEST), gap).slice(0, LONGEST);
    const times = timesOfGaps[i];
    return {
      name,
      times,
      growths: [times[1] / times[0], times[2] / times[1]],
      longest: fastest(() => parseComment(body, '')),
    };
  });
  return costs.sort((a, b) => b.longest - a.longest)[0];
}

function report(speeds, costs) {
  const growth = Math.max(...costs.flatMap(({ growths }) => growths));
  const longest = Math.max(...costs.map((cost) => cost.longest));
  return {
    title: 'Commands found in comments',
    table: [
      table([['long comments', 'MB/s'], ...speeds.map(([name, speed]) => [name, speed.toFixed(0)])]),
      table([
        ['hostile', ...SIZES.map((size) => `${size / 1_000} kB`), '10/1', '100/10', LONGEST.toLocaleString('en')],
        ...costs.map(rowOf),
      ]),
    ].join('\n\n'),
    meaning:
      'Processor time. Ten times the length takes 10 times as long where the time grows in proportion, less where the fixed cost still counts.',
    aims: [
      {
        aim: `ten times the length takes at most ${AIM_GROWTH} times as long, whatever is sent`,
        value: `${growth.toFixed(1)} times`,
        met: growth <= AIM_GROWTH,
      },
      {
        aim: `the longest comment takes at most ${AIM_LONGEST_MS} ms, whatever it says`,
        value: ms(longest),
        met: longest <= AIM_LONGEST_MS,
      },
    ],
  };
}

function rowOf({ name, times, growths, longest }) {
  return [name, ...times.map(ms), ...growths.map((growth) => `${growth.toFixed(1)} ×`), ms(longest)];
}
