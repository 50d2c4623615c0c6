/** What can be said in a comment here, what each verb needs, and what the repository's file lets people start. Pure. */
import { type CommandWord, commandStart, usageOf, VERBS_OF } from '../commands/usage.ts';
import type { RepositoryFile } from '../documents/repository-file.ts';
import type { Template } from '../documents/template.ts';
import type { Permitted, Policy } from '../policy.ts';
import { listing, type Part } from './body.ts';
import { cell, code, prose } from './neutral.ts';

export interface HelpReport {
  /** null: there is none, or it is not known here. */
  file: Pick<RepositoryFile, 'templates' | 'batches'> | null;
  policy: Policy;
}

const MAX_LISTED = 50;
const MAX_INPUTS = 20;

export function helpParts({ file, policy }: HelpReport): readonly Part[] {
  const words = Object.keys(VERBS_OF) as CommandWord[];
  const verbs = words.flatMap((of) => Object.keys(VERBS_OF[of]).map((verb) => verbRow(of, verb, policy)));
  const author =
    policy.author.length === 0
      ? []
      : ['', `The issue’s author may also say: ${policy.author.map((verb) => code(verb)).join(', ')}.`];
  return [
    '| a line of a new comment | what it does | needs |',
    '| --- | --- | --- |',
    ...verbs,
    ...author,
    '',
    ...templateParts(file, policy),
    ...batchParts(file, policy),
  ];
}

function verbRow(of: CommandWord, verb: string, policy: Policy): string {
  const verbs: Readonly<Record<string, { does: string }>> = VERBS_OF[of];
  const needs = policy.permissions[verb as Permitted];
  return `| ${cell(usageOf(of, verb, policy.commandPrefix))} | ${verbs[verb]?.does ?? ''} | ${needs === 'none' ? 'nothing' : needs} |`;
}

function templateParts(file: HelpReport['file'], policy: Policy): readonly Part[] {
  const templates = [...(file?.templates.values() ?? [])];
  if (templates.length === 0)
    return [
      'No task can be started by name here: that takes a template in `.github/standdown.yml` of the default branch.',
    ];
  const start = commandStart('task', policy.commandPrefix);
  const list = listing(templates, {
    most: MAX_LISTED,
    line: (template) => `- ${code(`${start} run ${template.key}`)}${nameWords(template)}${inputWords(template)}`,
    more: (left) => `- and ${left} more`,
  });
  return ['Tasks to start by name:', '', list];
}

function nameWords({ key, name }: Template): string {
  return name === key ? '' : ` – ${prose(name)}`;
}

function inputWords({ inputs }: Template): string {
  if (inputs.size === 0) return '';
  const named = [...inputs].slice(0, MAX_INPUTS).map(([name, input]) => {
    const about = input.description === null ? '' : ` (${prose(input.description)})`;
    return `${code(input.default === null ? `${name}=…` : `${name}=${input.default}`)}${about}`;
  });
  const more = inputs.size - named.length;
  return `; inputs: ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function batchParts(file: HelpReport['file'], policy: Policy): readonly Part[] {
  const names = [...(file?.batches.keys() ?? [])];
  if (names.length === 0) return [];
  const start = commandStart('batch', policy.commandPrefix);
  const line = (name: string) => `- ${code(`${start} run ${name}`)}`;
  const list = listing(names, { most: MAX_LISTED, line, more: (left) => `- and ${left} more` });
  return ['', 'Batches to start by name:', '', list];
}
