import { describe, expect, it } from 'vitest';
import { type BlockerStatus, type BlockerView, blocking, viewBlocker } from '../../../src/core/blockers/blocker.ts';
import { aClosedIssue, anEdge, anEpisode, anIssue, aTask, at } from '../../support/builders.ts';

const open = anIssue({ number: 5 });
const closed = aClosedIssue({ number: 5 });
const acted = anEpisode({ number: 5, closedAt: at(10) });

describe('an edge', () => {
  it.each<[string, BlockerStatus, Parameters<typeof viewBlocker>]>([
    ['open', 'open', [anEdge(), open, null]],
    ['reopened', 'open', [anEdge(), open, anEpisode({ state: 'undone' })]],
    ['closed, and its close not followed yet', 'judging', [anEdge(), closed, null]],
    ['closed again, and that close not followed yet', 'judging', [anEdge(), closed, anEpisode({ closedAt: at(5) })]],
    ['closed and reopened as far as is followed', 'judging', [anEdge(), closed, anEpisode({ state: 'undone' })]],
    ['closed, and its delay runs', 'open', [anEdge(), closed, anEpisode({ state: 'pending' })]],
    [
      'closed by someone whose permission is being read',
      'judging',
      [anEdge(), closed, anEpisode({ authority: 'pending' })],
    ],
    ['completed by someone who may say so', 'resolved', [anEdge(), closed, acted]],
    ['closed without a reason', 'resolved', [anEdge(), closed, anEpisode({ reason: 'unknown' })]],
    ['completed by someone who may not', 'not_permitted', [anEdge(), closed, anEpisode({ authority: 'denied' })]],
    ['completed by nobody knows whom', 'not_permitted', [anEdge(), closed, anEpisode({ authority: 'unreadable' })]],
    ['not planned', 'not_completed', [anEdge(), closed, anEpisode({ reason: 'not_planned' })]],
    ['a duplicate', 'not_completed', [anEdge(), closed, anEpisode({ reason: 'duplicate' })]],
    ['deleted', 'absent', [anEdge(), anIssue({ presence: 'deleted' }), acted]],
    ['transferred', 'absent', [anEdge(), anIssue({ presence: 'transferred' }), null]],
    ['never there', 'absent', [anEdge(), null, null]],
    ['gone, and its dependency with it', 'absent', [anEdge({ state: 'kept' }), anIssue({ presence: 'deleted' }), null]],
    ['a pull request', 'refused', [anEdge({ source: 'body' }), anIssue({ isPullRequest: true }), null]],
    [
      'in a repository that can not be read',
      'unreadable',
      [anEdge({ blocker: { repositoryId: null, number: 5 } }), null, null],
    ],
    ['named by someone who may not', 'refused', [anEdge({ source: 'body', state: 'refused' }), open, null]],
    ['named by someone who is being judged', 'open', [anEdge({ source: 'body', state: 'pending' }), open, null]],
    ['taken away by someone who is being judged', 'judging', [anEdge({ state: 'leaving' }), open, null]],
    ['taken away by someone who may not', 'not_permitted', [anEdge({ state: 'kept' }), open, null]],
    ['taken away, and completed by someone who may say so', 'resolved', [anEdge({ state: 'kept' }), closed, acted]],
    ['completed and taken away, by whomever', 'resolved', [anEdge({ state: 'leaving' }), closed, acted]],
  ])('to an issue that is %s is %s', (_, status, seen) => {
    expect(viewBlocker(...seen).status).toBe(status);
  });

  it('names who closed the issue, or took the edge away, or wrote the line', () => {
    expect(viewBlocker(anEdge(), closed, anEpisode({ actor: 'tom' })).actor).toBe('tom');
    expect(viewBlocker(anEdge({ state: 'kept', removedBy: 'tom' }), open, null).actor).toBe('tom');
    expect(viewBlocker(anEdge({ state: 'refused', addedBy: 'stranger' }), open, null).actor).toBe('stranger');
  });
});

describe('a task', () => {
  const view = (set: Partial<BlockerView> = {}): BlockerView => ({
    label: 'acme/widgets#5',
    source: 'dependency',
    status: 'open',
    actor: null,
    reopenedAt: null,
    ...set,
  });
  const released = (seconds: number) =>
    aTask({ released: [{ blocker: 'acme/widgets#5', actor: 'ann', at: at(seconds) }] });

  it.each<[BlockerStatus, boolean]>([
    ['open', true],
    ['judging', true],
    ['resolved', false],
    ['not_completed', true],
    ['not_permitted', true],
    ['absent', true],
    ['unreadable', true],
    ['refused', false],
  ])('with a blocker that is %s is blocked: %s', (status, isBlocked) => {
    expect(blocking(aTask(), [view({ status })]).length > 0).toBe(isBlocked);
  });

  it('waits for each of them', () => {
    const views = [view({ status: 'resolved' }), view({ label: 'acme/widgets#6' })];
    expect(blocking(aTask(), views).map(({ label }) => label)).toEqual(['acme/widgets#6']);
  });

  it('does not wait for what a person released, in any spelling, and waits for the others', () => {
    expect(blocking(released(5), [view({ label: 'Acme/Widgets#5' })])).toEqual([]);
    expect(blocking(released(5), [view({ label: 'acme/widgets#55' })])).toHaveLength(1);
  });

  it('waits again for what was reopened after its release', () => {
    expect(blocking(released(5), [view({ reopenedAt: at(4) })])).toEqual([]);
    expect(blocking(released(5), [view({ reopenedAt: at(6) })])).toHaveLength(1);
  });
});
