/** What follows `/task` or `/batch`: a verb, and what that verb takes. */
import { name } from '../documents/fields.ts';
import { describe } from '../documents/problem.ts';
import { parseInputs } from './inputs.ts';
import type { Said } from './said.ts';
import { type CommandWord, VERBS_OF } from './usage.ts';

const MAX_TEXT = 2000;
const NAME = 'letters, digits and `._-`, at most 100 of them';

type TaskVerb = keyof (typeof VERBS_OF)['task'];
type BatchVerb = keyof (typeof VERBS_OF)['batch'];
type Value<T> = { value: T } | { problem: string };

/** @param rest what follows the command, trimmed */
export function sayingOf(of: CommandWord, rest: string): Said {
  const word = /^[^ \t]*/.exec(rest)?.[0] ?? '';
  if (!Object.hasOwn(VERBS_OF[of], word)) return { of, verb: 'unknown', word: word.slice(0, 100) };
  const given = rest.slice(word.length).trim();
  const said = of === 'task' ? taskSaying(word as TaskVerb, given) : batchSaying(word as BatchVerb, given);
  return 'problem' in said ? { of, verb: 'wrong', meant: word, problem: said.problem } : said.value;
}

function taskSaying(verb: TaskVerb, given: string): Value<Said> {
  switch (verb) {
    case 'run':
      return runSaying(given);
    case 'block':
    case 'answer':
      return map(textOf(given), (text) => ({ of: 'task', verb, text }));
    case 'link':
    case 'unlink':
      return map(nameOf('task', given), (task) => ({ of: 'task', verb, task }));
    case 'help':
      return { value: { of: 'task', verb } };
    default:
      return map(optionalNameOf('task', given), (task) => ({ of: 'task', verb, task }));
  }
}

function batchSaying(verb: BatchVerb, given: string): Value<Said> {
  switch (verb) {
    case 'run':
      return map(nameOf('batch', given), (batch) => ({ of: 'batch', verb, batch }));
    case 'help':
      return { value: { of: 'batch', verb } };
    default:
      return map(optionalNameOf('batch', given), (batch) => ({ of: 'batch', verb, batch }));
  }
}

function runSaying(given: string): Value<Said> {
  const first = /^[^ \t]*/.exec(given)?.[0] ?? '';
  const template = nameOf('template', first);
  if ('problem' in template) return template;
  return map(parseInputs(given.slice(first.length)), (inputs) => ({
    of: 'task',
    verb: 'run',
    template: template.value,
    inputs,
  }));
}

function optionalNameOf(what: string, given: string): Value<string | null> {
  return given === '' ? { value: null } : nameOf(what, given);
}

function nameOf(what: string, given: string): Value<string> {
  if (given === '') return { problem: `which ${what} is missing` };
  const [first = '', second] = given.split(/[ \t]+/, 2);
  if (second !== undefined) return { problem: `${describe(second)} is one word too many: it takes one ${what}` };
  const { success, error } = name.safeParse(first);
  if (success) return { value: first };
  const reserved = error.issues.some(({ code }) => code === 'custom');
  return {
    problem: reserved
      ? `${describe(first)} is reserved and can't be a name`
      : `${describe(first)} is no name of a ${what}: ${NAME}`,
  };
}

/** As it stands: it is shown, and never carried out. */
function textOf(given: string): Value<string> {
  if (given === '') return { problem: 'the text is missing' };
  if (given.length > MAX_TEXT)
    return { problem: `the text has ${given.length} characters, and at most ${MAX_TEXT} are accepted` };
  return { value: given };
}

function map<T>(given: Value<T>, make: (value: T) => Said): Value<Said> {
  return 'problem' in given ? given : { value: make(given.value) };
}
