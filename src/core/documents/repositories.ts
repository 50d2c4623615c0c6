/** Which repositories an operator's pattern names: `owner/name`, with `*` inside a segment, or `*` alone for all. */

/** GitHub's names ignore case. */
export function matchesRepository(patterns: readonly string[], fullName: string): boolean {
  const name = fullName.toLowerCase().split('/');
  return name.length === 2 && patterns.some((pattern) => matchesOne(pattern.toLowerCase(), name));
}

function matchesOne(pattern: string, name: readonly string[]): boolean {
  if (pattern === '*') return true;
  const segments = pattern.split('/');
  return segments.length === name.length && segments.every((segment, index) => matchesSegment(segment, name[index]!));
}

/** `*` stands for any characters, none included; the pieces between must come in order without overlapping. */
function matchesSegment(pattern: string, text: string): boolean {
  const [head = '', ...rest] = pattern.split('*');
  const tail = rest.pop();
  if (tail === undefined) return pattern === text;
  if (text.length < head.length + tail.length || !text.startsWith(head) || !text.endsWith(tail)) return false;
  let from = head.length;
  const end = text.length - tail.length;
  return rest.every((piece) => {
    const at = text.indexOf(piece, from);
    from = at + piece.length;
    return at >= 0 && from <= end;
  });
}
