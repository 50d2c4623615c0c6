/** YAML text to plain values, without what a document of ours never needs: tags, merge keys, doubled keys, alias bombs. */
import {
  Composer,
  type CST,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Node,
  type Pair,
  Parser,
  visit,
  type YAMLError,
  type YAMLMap,
} from 'yaml';
import { line } from '../report/text.ts';
import { bounded, type Locate, MAX_PROBLEMS, type Parsed, type Problem } from './problem.ts';

export interface SourceText {
  value: unknown;
  locate: Locate;
}

const MAX_YAML_CHARACTERS = 1_048_576;
/** Of one anchor. */
const MAX_ALIASES = 50;
/** To follow one, yaml looks through all that stands before it. */
const MAX_ALIASES_IN_ALL = 500;
/** Of the parser's stack, which has up to three levels for one of the text. */
const MAX_STACK = 200;
/** What is wrong behind the first few mostly follows from them: a text that is no YAML at all would be told line by line. */
const MAX_SYNTAX_PROBLEMS = 5;
const MANY_DOCUMENTS = 'must be one document: there is another one from here on';
export const DOUBLED = 'the key is given twice';

/** @param maxTokens names, values, signs and spaces: what reading costs grows with them. Never throws. */
export function parseYaml(text: string, maxTokens = Number.POSITIVE_INFINITY): Parsed<SourceText> {
  if (text.length > MAX_YAML_CHARACTERS) return whole(`must be at most ${MAX_YAML_CHARACTERS} characters`);
  try {
    return withoutTraces(() => parse(text, maxTokens));
  } catch (error) {
    // The only other thing that yaml throws for.
    return whole(error instanceof TooMuch ? error.message : 'has aliases that unfold too far');
  }
}

class TooMuch extends Error {}

/** yaml makes an error for each of ten thousand wrong signs, and where it was made costs ten times as much as all the rest of it. */
function withoutTraces<T>(work: () => T): T {
  const before = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    return work();
  } finally {
    Error.stackTraceLimit = before;
  }
}

/**
 * yaml composes by recursion. Near the end of the stack it compiles a regular expression, and V8 ends the whole process
 * there (no exception can be caught): so depth is measured on the way, by the parser, which does not recurse.
 */
function* shallowTokens(text: string, lines: LineCounter, maxTokens: number): Generator<CST.Token> {
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  let [count, wrong] = [0, 0];
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) {
      if (token.type === 'error') wrong += 1;
      yield token;
    }
    // What follows is not told any more.
    if (wrong > MAX_PROBLEMS) break;
    if (parser.stack.length > MAX_STACK) throw new TooMuch('is nested too deeply');
    count += 1;
    if (count > maxTokens) throw new TooMuch(`must be at most ${maxTokens} names, values, signs and spaces of YAML`);
  }
  yield* parser.end();
}

function parse(text: string, maxTokens: number): Parsed<SourceText> {
  const lines = new LineCounter();
  const composer = new Composer({
    prettyErrors: false,
    resolveKnownTags: false,
    stringKeys: true,
    // yaml compares each key with all before it: quadratic, so doubled keys are looked for here.
    uniqueKeys: false,
  });
  const [document, second] = composer.compose(shallowTokens(text, lines, maxTokens), true, text.length);
  if (document === undefined) return whole('is no YAML');
  const errors = [...document.errors, ...document.warnings];
  const syntax = errors.slice(0, MAX_SYNTAX_PROBLEMS + 1).map((error) => textProblem(error, lines));
  if (errors.length > MAX_SYNTAX_PROBLEMS) return { ok: false, problems: bounded(syntax, MAX_SYNTAX_PROBLEMS) };
  const problems = [
    ...syntax,
    ...(second === undefined ? [] : [{ path: '', message: MANY_DOCUMENTS, ...place(lines, second.range[0]) }]),
    ...doubledKeys(document, lines),
  ];
  if (problems.length > 0) return { ok: false, problems: bounded(problems) };
  if (countAliases(document) > MAX_ALIASES_IN_ALL) return whole(`must have at most ${MAX_ALIASES_IN_ALL} aliases`);
  const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASES });
  return { ok: true, value: { value, locate: makeLocate(document, lines) } };
}

function whole(message: string): Parsed<never> {
  return { ok: false, problems: [{ path: '', message }] };
}

function textProblem(error: YAMLError, lines: LineCounter): Problem {
  // It may quote all the text that it is about.
  return { path: '', message: line(error.message), ...place(lines, error.pos[0]) };
}

function doubledKeys(document: Document, lines: LineCounter): Problem[] {
  const problems: Problem[] = [];
  visit(document, {
    Map(_key, map) {
      if (problems.length > MAX_PROBLEMS) return visit.BREAK;
      const seen = new Set<string>();
      for (const { key } of map.items) {
        const name = isScalar(key) ? String(key.value) : '';
        if (seen.has(name)) problems.push({ path: name, message: DOUBLED, ...nodePlace(lines, key) });
        seen.add(name);
      }
      return undefined;
    },
  });
  return problems;
}

function countAliases(document: Document): number {
  let count = 0;
  visit(document, {
    Alias() {
      count += 1;
    },
  });
  return count;
}

/** Gives the key of the last step, or of the nearest step that the text has. */
function makeLocate(document: Document, lines: LineCounter): Locate {
  const indexes = new WeakMap<YAMLMap, Map<string, Pair>>();
  return (keys) => {
    let node: unknown = document.contents;
    let mark: unknown = node;
    for (const key of keys) {
      const step = stepInto(isAlias(node) ? node.resolve(document) : node, key, indexes);
      if (step === null) break;
      ({ node, mark } = step);
    }
    return nodePlace(lines, mark);
  };
}

function stepInto(node: unknown, key: PropertyKey, indexes: WeakMap<YAMLMap, Map<string, Pair>>) {
  if (isSeq(node)) {
    const item = typeof key === 'number' ? node.items[key] : undefined;
    return item === undefined ? null : { node: item, mark: item };
  }
  if (!isMap(node)) return null;
  const index = indexes.get(node) ?? indexKeys(node);
  indexes.set(node, index);
  const pair = index.get(String(key));
  return pair === undefined ? null : { node: pair.value, mark: pair.key };
}

/** A document may have thousands of keys and a problem with each. */
function indexKeys(map: YAMLMap): Map<string, Pair> {
  return new Map(map.items.map((pair) => [isScalar(pair.key) ? String(pair.key.value) : '', pair]));
}

function nodePlace(lines: LineCounter, node: unknown): { line: number; column: number } | null {
  const range = (node as Node | null | undefined)?.range;
  return range ? place(lines, range[0]) : null;
}

export function place(lines: LineCounter, offset: number): { line: number; column: number } {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(line, 1), column: Math.max(col, 1) };
}
