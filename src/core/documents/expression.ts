/** Expressions inside strings, `${{ inputs.lr }}`: read once, filled in once. What was filled in is never read again. */

/** A piece of a string: text as it stands, or what an expression names. */
export type Part = string | { named: ContextName | `inputs.${string}` };

export const CONTEXT_NAMES = ['issue.number', 'issue.url', 'repository'] as const;
export type ContextName = (typeof CONTEXT_NAMES)[number];

const OPEN = '${{';
const CLOSE = '}}';
const INPUT = /^inputs\.[A-Za-z_][A-Za-z0-9_-]{0,99}$/;
const SHOWN_CHARACTERS = 60;

export const ACCEPTED_NAMES = `inputs.NAME, ${CONTEXT_NAMES.join(', ')}`;

export function hasExpression(text: string): boolean {
  return text.includes(OPEN);
}

/** The string's pieces in order, or what is wrong with it, as a sentence. */
export function parseExpressions(text: string): { ok: true; parts: Part[] } | { ok: false; problem: string } {
  const parts: Part[] = [];
  let from = 0;
  for (let open = text.indexOf(OPEN); open !== -1; open = text.indexOf(OPEN, from)) {
    const close = text.indexOf(CLOSE, open + OPEN.length);
    if (close === -1) return { ok: false, problem: `${shown(text.slice(open))} is not closed: }} is missing` };
    const named = text.slice(open + OPEN.length, close).trim();
    if (!isKnown(named)) {
      const given = shown(text.slice(open, close + CLOSE.length));
      return { ok: false, problem: `${given} is not known; accepted between \${{ and }}: ${ACCEPTED_NAMES}` };
    }
    if (open > from) parts.push(text.slice(from, open));
    parts.push({ named });
    from = close + CLOSE.length;
  }
  if (from < text.length) parts.push(text.slice(from));
  return { ok: true, parts };
}

/** What the expressions of a string name; none for a string that `parseExpressions` refuses. */
export function namesIn(text: string): Exclude<Part, string>['named'][] {
  const parsed = parseExpressions(text);
  return parsed.ok ? parsed.parts.flatMap((part) => (typeof part === 'string' ? [] : [part.named])) : [];
}

/** With the values in place of the expressions; each named one has to be there. Strings that are refused stay as they are. */
export function fillIn(text: string, values: ReadonlyMap<string, string>): string {
  const parsed = parseExpressions(text);
  if (!parsed.ok) return text;
  return parsed.parts.map((part) => (typeof part === 'string' ? part : (values.get(part.named) ?? ''))).join('');
}

function isKnown(name: string): name is Exclude<Part, string>['named'] {
  return INPUT.test(name) || (CONTEXT_NAMES as readonly string[]).includes(name);
}

function shown(text: string): string {
  return JSON.stringify(text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text);
}
