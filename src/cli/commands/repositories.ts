/** `standdown repositories`: whether each can be reached, and how old what is known of its issues is. */
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { CliError, EXIT, type ExitCode } from '../exit.ts';
import { renderRepositories } from '../render-repositories.ts';
import { pageOf, repositoryView, understand } from '../views.ts';
import type { Act } from './act.ts';

export function addRepositoriesCommand(program: Command, act: Act): void {
  program
    .command('repositories')
    .description('whether each can be reached, and how old what is known of its issues is')
    .option('--repository <owner/name>', 'only this one')
    .option('--cursor <cursor>', 'go on behind an earlier list')
    .action(act((context, _arguments, options) => listRepositories(context, options)));
}

async function listRepositories(context: Context, options: Readonly<Record<string, unknown>>): Promise<ExitCode> {
  const query = new URLSearchParams();
  for (const key of ['repository', 'cursor']) {
    if (typeof options[key] === 'string') query.set(key, options[key]);
  }
  const page = understand(pageOf(repositoryView), await context.client().request('GET', `/repositories?${query}`));
  const more = page.next === null ? '' : `More: --cursor ${page.next}\n`;
  const { repository } = options;
  if (page.items.length === 0 && typeof repository === 'string') throw neverSeen(repository);
  context.print(page, renderRepositories(page.items, new Date()) + more);
  return EXIT.done;
}

/** Most likely a slip of the pen, or the App is not there: as where an issue of it is asked for. */
function neverSeen(repository: string): CliError {
  const message = `the repository ${repository} is not known here; \`standdown repositories\` shows those that are`;
  return new CliError(EXIT.refused, 'not_found', message);
}
