/**
 * JSON text to plain values, as strict as JSON.parse and without doubled keys, of which JSON.parse silently keeps the last. The
 * text is walked once more for them and for places: read as YAML, a large document would keep everybody else waiting.
 */
import { LineCounter } from 'yaml';
import { offsetOfError } from './json-error.ts';
import { bounded, type Locate, MAX_PROBLEMS, type Parsed, type Problem } from './problem.ts';
import { DOUBLED, place, type SourceText } from './yaml.ts';

/** Where something stands: a mapping's values by their keys, a list's items by themselves. */
interface Place {
  offset: number;
  children?: Map<PropertyKey, Place>;
}

/** A mapping or list that is not closed yet. */
interface Frame {
  at: Place;
  /** Of the value that comes next; null: a mapping's key comes next. */
  next: string | number | null;
}

interface Walk {
  root: Place;
  lines: LineCounter;
  doubled: Problem[];
}

/** Never throws. */
export function parseJson(text: string): Parsed<SourceText> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    // Where it is no JSON is told like every other place.
    const reason = (error as Error).message.replace(/ (?:in JSON )?at position \d+.*$/s, '');
    const problem = { path: '', message: `is no JSON: ${reason}`, ...place(linesOf(text), offsetOfError(text)) };
    return { ok: false, problems: [problem] };
  }
  const { root, lines, doubled } = walk(text);
  if (doubled.length > 0) return { ok: false, problems: bounded(doubled) };
  return { ok: true, value: { value, locate: makeLocate(root, lines) } };
}

/** Of a text that JSON.parse took. Without recursion: it takes any depth. */
function walk(text: string): Walk {
  const found: Walk = { root: { offset: text.search(/\S/) }, lines: linesOf(text), doubled: [] };
  const open: Frame[] = [];
  for (let at = 0; at < text.length && found.doubled.length <= MAX_PROBLEMS; at++) {
    const frame = open.at(-1);
    switch (text[at]) {
      case ' ':
      case '\t':
      case '\r':
      case '\n':
      case ':':
        break;
      case ',':
        frame!.next = typeof frame!.next === 'number' ? frame!.next + 1 : null;
        break;
      case '{':
        open.push({ at: placeOf(found.root, frame, at), next: null });
        break;
      case '[':
        open.push({ at: placeOf(found.root, frame, at), next: 0 });
        break;
      case '}':
      case ']':
        open.pop();
        break;
      case '"': {
        const end = endOfString(text, at);
        if (frame?.next === null) readKey(found, frame, { at, name: JSON.parse(text.slice(at, end + 1)) });
        else placeOf(found.root, frame, at);
        at = end;
        break;
      }
      default:
        placeOf(found.root, frame, at);
    }
  }
  return found;
}

/** The first sign of a value, or the key before it, is where it stands. */
function placeOf(root: Place, frame: Frame | undefined, offset: number): Place {
  if (frame === undefined || frame.next === null) return root;
  frame.at.children ??= new Map();
  const known = frame.at.children.get(frame.next) ?? { offset };
  frame.at.children.set(frame.next, known);
  return known;
}

function readKey({ root, lines, doubled }: Walk, frame: Frame, { at, name }: { at: number; name: string }): void {
  if (frame.at.children?.has(name)) doubled.push({ path: name, message: DOUBLED, ...place(lines, at) });
  frame.next = name;
  placeOf(root, frame, at);
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
}

function linesOf(text: string): LineCounter {
  const lines = new LineCounter();
  lines.addNewLine(0);
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines.addNewLine(at + 1);
  return lines;
}

/** Gives the place of the last step, or of the nearest step that the text has. */
function makeLocate(root: Place, lines: LineCounter): Locate {
  return (keys) => {
    let at = root;
    for (const key of keys) {
      const step = at.children?.get(key);
      if (step === undefined) break;
      at = step;
    }
    return place(lines, at.offset);
  };
}
