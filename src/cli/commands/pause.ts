/** `standdown pause` and `unpause`: what keeps new runs from starting. What runs goes on. */
import type { Command } from 'commander';
import { segment } from '../client.ts';
import type { Context } from '../context.ts';
import { CliError, EXIT, type ExitCode } from '../exit.ts';
import { listPauses } from '../pauses.ts';
import { batchView, holdView, understand } from '../views.ts';
import type { Act } from './act.ts';
import { addScopeOptions, namedScopes, readScope, type Scope, type ScopeOptions, scopeWords, usage } from './scope.ts';

interface PauseOptions extends ScopeOptions {
  reason?: string;
  list?: boolean;
}

export function addPauseCommands(program: Command, act: Act): void {
  addScopeOptions(program.command('pause').description('start nothing of it until it is unpaused; what runs goes on'))
    .option('--reason <text>', 'shown wherever something waits for it')
    .option('--list', 'what is paused, since when and why')
    .action(act((context, _arguments, options) => pause(context, options as PauseOptions)));

  addScopeOptions(program.command('unpause').description('let what was paused start again')).action(
    act((context, _arguments, options) => unpause(context, readScope(options as ScopeOptions))),
  );
}

async function pause(context: Context, options: PauseOptions): Promise<ExitCode> {
  const { list, reason } = options;
  if (list) {
    const others = [...namedScopes(options), ...(reason === undefined ? [] : ['--reason'])];
    if (others.length > 0) throw usage(`--list shows all that is paused, and takes no ${others.join(' and no ')}`);
    return listPauses(context);
  }
  const scope = readScope(options);
  const said = reason === undefined ? {} : { reason };
  const client = context.client();
  const answer =
    scope.scope === 'batch'
      ? understand(batchView, await client.request('POST', `${batchPath(scope)}/hold`, { json: said }))
      : understand(holdView, await client.request('POST', '/holds', { json: { ...scope, ...said } }));
  context.print(answer, `Paused: ${scopeWords(scope)}. Nothing of it starts; what runs goes on.\n`);
  return EXIT.done;
}

async function unpause(context: Context, scope: Scope): Promise<ExitCode> {
  const client = context.client();
  const answer =
    scope.scope === 'batch'
      ? await client.request('POST', `${batchPath(scope)}/release`)
      : await client.request('POST', '/holds/release', { json: scope }).catch((error: unknown) => {
          throw isMissing(error)
            ? new CliError(EXIT.refused, 'not_found', `${scopeWords(scope)} is not paused (see pause --list)`)
            : error;
        });
  context.print(answer, `Unpaused: ${scopeWords(scope)}.\n`);
  return EXIT.done;
}

function isMissing(error: unknown): boolean {
  return error instanceof CliError && error.code === 'not_found';
}

function batchPath({ batch }: Extract<Scope, { scope: 'batch' }>): string {
  return `/batches/${segment(batch)}`;
}
