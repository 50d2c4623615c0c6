/** From an issue's state to its close episodes, as the policy stands when they are acted on. */
import { describe, expect, it } from 'vitest';
import { forOwnClose } from '../../../src/core/plan/done.ts';
import { planIssue } from '../../../src/core/plan/issue.ts';
import { DEFAULT_POLICY, type Policy } from '../../../src/core/policy.ts';
import { aClosedIssue, anEpisode, anIssue, at } from '../../support/builders.ts';

const DELAYED: Policy = { ...DEFAULT_POLICY, closeDelaySeconds: 60 };
const LENIENT: Policy = { ...DEFAULT_POLICY, onClose: { ...DEFAULT_POLICY.onClose, completed: 'let_finish' } };
/** Issues are closed at second 10. */
const pending = anEpisode({ state: 'pending', action: 'done' });

describe('a close', () => {
  it.each(['completed', 'not_planned', 'duplicate', 'unknown'] as const)(
    'for the reason %s does what the policy says of it',
    (reason) => {
      const onClose = { completed: 'cancel', not_planned: 'ignore', duplicate: 'done', unknown: 'let_finish' } as const;
      expect(planIssue(aClosedIssue({ reason }), null, { ...DEFAULT_POLICY, onClose }, at(11))).toMatchObject([
        { step: 'open_episode', episode: { reason, action: onClose[reason], state: 'acted' } },
      ]);
    },
  );

  it('waits for its delay, counted from when it was closed, wherever it was learnt', () => {
    expect(planIssue(aClosedIssue(), null, DELAYED, at(40))).toMatchObject([
      { step: 'open_episode', episode: { state: 'pending', closedAt: at(10), learnedAt: at(40) } },
      { step: 'recheck', at: at(70) },
    ]);
    expect(planIssue(aClosedIssue(), pending, DELAYED, at(69))).toEqual([{ step: 'recheck', at: at(70) }]);
    expect(planIssue(aClosedIssue(), null, DELAYED, at(70))).toMatchObject([{ episode: { state: 'acted' } }]);
  });

  it('is void where the issue is open again before the delay is over', () => {
    expect(planIssue(anIssue(), pending, DELAYED, at(20))).toEqual([{ step: 'void' }]);
  });

  it('that waited is acted on by the policy as it is then', () => {
    const changed = { ...LENIENT, closeDelaySeconds: 60 };
    expect(planIssue(aClosedIssue(), pending, changed, at(71))).toEqual([{ step: 'act', action: 'let_finish' }]);
    expect(planIssue(aClosedIssue(), pending, LENIENT, at(20))).toEqual([{ step: 'act', action: 'let_finish' }]);
  });

  it('that was acted on stays what it was, whatever the policy or its reason become', () => {
    expect(planIssue(aClosedIssue(), anEpisode(), LENIENT, at(71))).toEqual([]);
    expect(planIssue(aClosedIssue({ reason: 'not_planned' }), anEpisode(), DEFAULT_POLICY, at(71))).toEqual([]);
    expect(planIssue(aClosedIssue({ reason: 'not_planned' }), pending, DELAYED, at(71))).toEqual([
      { step: 'act', action: 'done' },
    ]);
  });

  it('of our own ends nothing and waits for nothing', () => {
    expect(planIssue(aClosedIssue(), null, forOwnClose(DELAYED), at(11))).toMatchObject([
      { step: 'open_episode', episode: { action: 'ignore', state: 'acted' } },
    ]);
  });
});
