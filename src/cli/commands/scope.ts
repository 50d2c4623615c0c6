/** What a pause is about: everything, a repository, a runner or a batch. Exactly one of them is named. */
import type { Command } from 'commander';
import { CliError, EXIT } from '../exit.ts';

export type Scope =
  | { scope: 'all' }
  | { scope: 'repository'; repository: string }
  | { scope: 'runner'; runner: string }
  | { scope: 'batch'; batch: string };

export interface ScopeOptions {
  all?: boolean;
  repository?: string;
  runner?: string;
  batch?: string;
}

const NAMES = ['all', 'repository', 'runner', 'batch'] as const;
const ACCEPTED = '--all, --repository <owner/name>, --runner <name> or --batch <id>';

export function addScopeOptions(command: Command): Command {
  return command
    .option('--all', 'everything that this app starts')
    .option('--repository <owner/name>', 'the tasks of one repository')
    .option('--runner <name>', 'the tasks of one runner')
    .option('--batch <id>', 'the tasks of one batch');
}

export function namedScopes(options: ScopeOptions): string[] {
  return NAMES.filter((name) => options[name] !== undefined).map((name) => `--${name}`);
}

export function readScope(options: ScopeOptions): Scope {
  const given = namedScopes(options);
  if (given.length > 1) throw usage(`${given.join(' and ')} were given together; accepted is one of ${ACCEPTED}`);
  const { all, repository, runner, batch } = options;
  if (all) return { scope: 'all' };
  if (repository !== undefined) return { scope: 'repository', repository: checkRepository(repository) };
  if (runner !== undefined) return { scope: 'runner', runner };
  if (batch !== undefined) return { scope: 'batch', batch };
  throw usage(`it is not said what to pause or unpause; accepted is one of ${ACCEPTED}`);
}

export function scopeWords(scope: Scope): string {
  switch (scope.scope) {
    case 'all':
      return 'everything';
    case 'repository':
      return scope.repository;
    case 'runner':
      return `runner ${scope.runner}`;
    case 'batch':
      return `batch ${scope.batch}`;
  }
}

export function usage(message: string): CliError {
  return new CliError(EXIT.usage, 'usage', message);
}

function checkRepository(text: string): string {
  if (/^[\w-]+\/[\w.-]+$/.test(text)) return text;
  throw usage(`--repository is '${text}'; accepted is owner/name, e.g. acme/widgets`);
}
