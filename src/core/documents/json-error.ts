/** Where a text stops being JSON. `JSON.parse` tells it in words that differ from engine to engine, or not at all. */

/** What may come next; `item` and `member`: or the end of what was just opened. */
type Next = 'value' | 'item' | 'key' | 'member' | 'colon' | 'comma' | 'nothing';

interface Place {
  open: ('{' | '[')[];
  next: Next;
}

const SPACE = /[ \t\r\n]*/y;
const SCALAR = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})/y;

/** The offset of the first token that JSON can't have there, or of the text's end where it comes too early. */
export function offsetOfError(text: string): number {
  const place: Place = { open: [], next: 'value' };
  for (let at = endOf(SPACE, text, 0); at < text.length; at = endOf(SPACE, text, at)) {
    const sign = text[at]!;
    const string = sign === '"' ? endOfString(text, at) : null;
    if (string?.ok === false) return string.at;
    const scalar = endOf(SCALAR, text, at);
    const moved = string !== null ? moveOnString(place) : scalar > at ? moveOnValue(place) : moveOnSign(place, sign);
    if (!moved) return at;
    at = string?.at ?? Math.max(scalar, at + 1);
  }
  return text.length;
}

function moveOnSign(place: Place, sign: string): boolean {
  const inside = place.open.at(-1);
  switch (sign) {
    case '{':
    case '[':
      if (!moveOnValue(place)) return false;
      place.open.push(sign);
      place.next = sign === '{' ? 'member' : 'item';
      return true;
    case '}':
    case ']':
      if (inside !== (sign === '}' ? '{' : '[') || !['member', 'item', 'comma'].includes(place.next)) return false;
      place.open.pop();
      place.next = afterValue(place);
      return true;
    case ',':
      if (place.next !== 'comma') return false;
      place.next = inside === '{' ? 'key' : 'value';
      return true;
    case ':':
      if (place.next !== 'colon') return false;
      place.next = 'value';
      return true;
    default:
      return false;
  }
}

function moveOnString(place: Place): boolean {
  if (place.next !== 'key' && place.next !== 'member') return moveOnValue(place);
  place.next = 'colon';
  return true;
}

function moveOnValue(place: Place): boolean {
  if (place.next !== 'value' && place.next !== 'item') return false;
  place.next = afterValue(place);
  return true;
}

function afterValue({ open }: Place): Next {
  return open.length === 0 ? 'nothing' : 'comma';
}

/** Behind the string, or what is wrong in it. */
function endOfString(text: string, start: number): { ok: boolean; at: number } {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') {
    if (text[at]! < ' ') return { ok: false, at };
    const next = text[at] === '\\' ? endOf(ESCAPE, text, at) : at + 1;
    if (next === at) return { ok: false, at };
    at = next;
  }
  return { ok: at < text.length, at: Math.min(at + 1, text.length) };
}

/** Where what the pattern takes from there on ends. */
function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}
