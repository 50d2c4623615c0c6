/** What the guide to comments shows is what the app writes. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { EXAMPLES } from './examples.ts';

const guide = readFileSync(new URL('../../../docs/comments.md', import.meta.url), 'utf8');
const shown = new Map(
  [...guide.matchAll(/^<!-- example: (\w+) -->\n\n`````markdown\n([\s\S]*?)\n`````$/gm)].map(([, name, body]) => [
    name ?? '',
    body,
  ]),
);

describe('the guide to comments', () => {
  it('shows every kind', () => {
    expect([...shown.keys()].sort()).toEqual(Object.keys(EXAMPLES).sort());
  });

  it.each(Object.keys(EXAMPLES))('shows %s as it is written, with a picture', (name) => {
    expect(shown.get(name)).toBe(EXAMPLES[name]?.());
    expect(guide).toContain(`](images/comment-${name}.png)`);
  });
});
