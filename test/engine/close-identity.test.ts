/** What makes two closes the same or not: GitHub's names for them are times in whole seconds, on GitHub's clock. */
import { describe, expect, it } from 'vitest';
import { planIssue } from '../../src/core/plan/issue.ts';
import { DEFAULT_POLICY } from '../../src/core/policy.ts';
import { aClosedIssue, anEpisode, at } from '../support/builders.ts';

const undone = anEpisode({ state: 'undone', reopen: { actor: 'ann', authority: 'granted', at: at(10) } });

describe('a close', () => {
  it('is in force at once without a delay, also where GitHub is ahead of the clock here', () => {
    const steps = planIssue(aClosedIssue({ closedAt: at(600) }), null, DEFAULT_POLICY, at(10));
    expect(steps).toMatchObject([{ step: 'open_episode', episode: { state: 'acted' } }]);
  });

  it('in the second of a close that was reopened is in force again, under the same name', () => {
    const steps = planIssue(aClosedIssue({ reason: 'not_planned' }), undone, DEFAULT_POLICY, at(11));
    const episode = { state: 'acted', reason: 'not_planned', action: 'cancel', authority: 'pending', reopen: null };
    expect(steps).toMatchObject([{ step: 'renew', episode }]);
  });

  it('in that second waits for its delay like any other', () => {
    const policy = { ...DEFAULT_POLICY, closeDelaySeconds: 30 };
    const steps = planIssue(aClosedIssue(), anEpisode({ state: 'voided' }), policy, at(11));
    expect(steps).toMatchObject([
      { step: 'renew', episode: { state: 'pending' } },
      { step: 'recheck', at: at(40) },
    ]);
  });

  it('that is in force makes nothing new', () => {
    expect(planIssue(aClosedIssue(), anEpisode(), DEFAULT_POLICY, at(11))).toEqual([]);
  });
});
