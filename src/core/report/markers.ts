/** The hidden words that our comments begin with, so that each is found again, whoever made it. */

/** Of all of them: who writes a comment that begins like this is us. */
export const MARKER_START = '<!-- standdown:';

export type Marked = 'outcome' | 'reply' | 'status' | 'notice';

/** `id`: the message's own. */
export function markerOf(kind: Marked, id: string): string {
  return `${MARKER_START}${kind} ${id} -->`;
}
