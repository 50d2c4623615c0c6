// A thread of its own, with room for young objects, so that growth is that of the work and not of the garbage collector, which
// goes about it differently once there is more. Answers with milliseconds per hostile body, gap and size.
import { parentPort, workerData } from 'node:worker_threads';
import { parseComment } from '../../dist/core/commands/parse.js';
import { fastest } from '../support/fastest.mjs';
import { between, GAPS, HOSTILE } from '../support/hostile-markdown.mjs';

// The first look also pays for the compilation.
for (const make of Object.values(HOSTILE)) for (const gap of GAPS) parseComment(between(make(10_000), gap), '');

const times = Object.entries(HOSTILE).map(([name, make]) => [
  name,
  GAPS.map((gap) =>
    workerData.sizes.map((size) => {
      const body = between(make(size), gap);
      return fastest(() => parseComment(body, ''));
    }),
  ),
]);

parentPort.postMessage(Object.fromEntries(times));
