import { describe, expect, it } from 'vitest';
import { type AgentEntry, agentStatus, entryOf, probeOf } from '../../src/core/agent.ts';
import type { OwnWord } from '../../src/core/own-word.ts';
import type { Probe } from '../../src/core/run.ts';

const NOW = new Date('2026-11-29T12:00:00.000Z');
const HOUR_MS = 3_600_000;
const anHourLater = (time: Date): Date => new Date(time.getTime() + HOUR_MS);

const exited: Probe = {
  ...{ state: 'exited', exitCode: null, signal: 'KILL', startedAt: NOW, endedAt: NOW, survivors: [] },
  containment: 'cgroup',
};
const vanished: Probe = { state: 'vanished', startedAt: NOW, survivors: [] };
const limited: OwnWord = {
  result: 'failed',
  reason: 'usage_limit',
  until: new Date('2027-01-31T12:00:00Z'),
  problem: null,
};
const notUnderstood: OwnWord = { result: null, reason: null, until: null, problem: 'must be a JSON object' };

/** As JSON, as an agent sends it. */
function onTheWire(entry: object | null): unknown {
  const agent = { instance: 'a', version: '1.2.3', now: NOW, containment: 'cgroup', user: null, notes: [] };
  return JSON.parse(JSON.stringify({ agent, active: [], completed: [entry], completed_left_out: 0 }));
}

function received(entry: object | null): AgentEntry {
  const [found] = agentStatus.parse(onTheWire(entry)).completed;
  if (found === undefined) throw new Error('it is not in the answer');
  return found;
}

describe('what an agent tells of a run that has ended', () => {
  it.each<[string, Probe]>([
    ['nothing that it said, and no reason', exited],
    ['a reason of its runner', { ...exited, reason: 'out_of_memory' }],
    ['what it said', { ...exited, said: limited }],
    ['both', { ...exited, reason: 'out_of_memory', said: notUnderstood }],
    ['nothing but that it is gone', vanished],
    ['that it is gone, why, and what it said', { ...vanished, reason: 'agent restarted; process lost', said: limited }],
  ])('is what its runner told: %s', (_, probe) => {
    expect(probeOf(received(entryOf('run_a', probe)), (time) => time)).toEqual(probe);
  });

  it('has the end of a usage limit as its program said it, whatever the agent’s clock says', () => {
    const probe = probeOf(received(entryOf('run_a', { ...exited, said: limited })), anHourLater);
    expect(probe).toMatchObject({ endedAt: anHourLater(NOW), said: { until: limited.until } });
  });

  it('is in snake_case', () => {
    expect(entryOf('run_a', { ...exited, reason: 'out_of_memory', said: limited })).toMatchObject({
      reason: 'out_of_memory',
      said: { result: 'failed', reason: 'usage_limit', until: limited.until, problem: null },
    });
  });

  it.each<[string, object]>([
    ['a reason that is none', { reason: 'bad luck' }],
    ['a word that is half', { said: { result: 'done' } }],
    ['a result that is none', { said: { ...limited, result: 'fine' } }],
    ['an end of a limit that is no time', { said: { ...limited, until: 'soon' } }],
    ['a word that is null', { said: null }],
  ])('is no answer with %s', (_, parts) => {
    expect(agentStatus.safeParse(onTheWire({ ...entryOf('run_a', exited), ...parts })).success).toBe(false);
  });
});
