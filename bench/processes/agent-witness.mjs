// Loaded into an agent before its own program (`node --import`): counts the requests that reach it, and answers questions of the
// benchmark about it.
import { subscribe } from 'node:diagnostics_channel';
import { answerParent } from './answer-parent.mjs';

let requests = 0;
subscribe('http.server.request.start', () => {
  requests += 1;
});

answerParent(null, {
  memory: () => process.memoryUsage(),
  spent: () => {
    const { user, system } = process.cpuUsage();
    return { requests, cpuMs: (user + system) / 1_000 };
  },
});
// The conversation must not keep an agent alive that has closed.
process.channel.unref();
