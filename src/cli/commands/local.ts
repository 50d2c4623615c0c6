/** Commands of this machine: the app itself, its demo, its database, its schema; and the sweep, which is asked of the app. */
import { Argument, type Command } from 'commander';
import { batchDocumentJsonSchema, repositoryFileJsonSchema } from '../../core/documents/index.ts';
import { EXIT } from '../exit.ts';
import type { Act } from './act.ts';

export function addLocalCommands(program: Command, act: Act): void {
  program
    .command('serve')
    .description('run the app until it is told to stop')
    .action(act((context) => context.serve()));

  program
    .command('demo')
    .description('see it work here, without GitHub and without an account')
    .option('--stay', 'no story: it stays until Ctrl-C, and names commands to try on it')
    .action(act((context, _positional, { stay }) => context.demo({ stay: stay === true })));

  program
    .command('migrate')
    .description('bring the database to this version')
    .action(
      act(async (context) => {
        const applied = await context.migrate();
        const text = applied.length === 0 ? 'The database is up to date.' : `Applied: ${applied.join(', ')}`;
        context.print({ applied }, `${text}\n`);
        return EXIT.done;
      }),
    );

  program
    .command('sweep')
    .description('compare every unfinished task with GitHub and with its runner, now')
    .action(
      act(async (context) => {
        context.print(await context.client().request('POST', '/sweep'), 'The sweep is asked for.\n');
        return EXIT.done;
      }),
    );

  program
    .command('schema')
    .description('the JSON Schema of a document that people write')
    .addArgument(
      new Argument('[document]', "a batch document, or the repository's file")
        .choices(['batch', 'repository'])
        .default('batch'),
    )
    .action(
      act(async (context, [document]) => {
        const schema = document === 'repository' ? repositoryFileJsonSchema() : batchDocumentJsonSchema();
        context.print(schema, `${JSON.stringify(schema, null, 2)}\n`);
        return EXIT.done;
      }),
    );
}
