// What the engine is given where a measurement calls it by itself: a runner that exists by name only, and no GitHub unless asked for.
import { interpretDelivery, makeGitHub } from '../../dist/github/index.js';
import { SILENT } from './silent.mjs';

const NAMED_RUNNER = {
  profile: { kind: 'process', passEnv: [], maxRunning: null, graceSeconds: 1 },
  onHint: () => () => {},
  inspect: async () => new Map(),
};

/** @param {object} own `store` and `policyOf`, and whatever of it is another one */
export function makeDeps(own) {
  let ids = 0;
  // Processes that follow one another on the same database must not make the same ids.
  const start = Date.now().toString(36);
  return {
    runners: { get: () => NAMED_RUNNER, names: () => ['local'], allows: () => true },
    github: null,
    interpret: interpretDelivery,
    trustedApps: () => [],
    limits: { maxRunning: 64, maxRunningPerRepository: 64 },
    clock: () => new Date(),
    newId: (prefix) => `${prefix}_${start}_${String(++ids).padStart(9, '0')}`,
    log: SILENT,
    ...own,
  };
}

/** Reads only: what is to be written to GitHub stays owed, and counts nowhere. */
export function makeReader({ baseUrl, appId, privateKey }, options = {}) {
  return makeGitHub({ credentials: { mode: 'app', appId, privateKey }, baseUrl, ...options }).reader;
}
