/** `standdown task …` */
import type { Command } from 'commander';
import { type RequestOptions, segment } from '../client.ts';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { renderTask } from '../render-task.ts';
import { taskView, understand } from '../views.ts';
import { type Act, wholeNumber } from './act.ts';

const ID = ['<id>', 'as batch status shows it'] as const;

const PLAIN_VERBS = {
  cancel: 'stop it and end it',
  retry: 'run it again, once it has ended',
  done: 'say that its work is done; what runs of it is stopped',
  skip: 'stop it and end it, and let what needs it go on',
  release: 'let a held or blocked task go on',
} as const;

export function addTaskCommands(program: Command, act: Act): void {
  const task = program.command('task').description('see and move single tasks');
  addReads(task, act);
  for (const [verb, description] of Object.entries(PLAIN_VERBS)) {
    task
      .command(verb)
      .description(description)
      .argument(...ID)
      .action(act((context, [id]) => change(context, 'POST', `${taskPath(id)}/${verb}`)));
  }
  addSayings(task, act);
  addLinks(task, act);
}

function addReads(task: Command, act: Act): void {
  task
    .command('show')
    .description('one task with its runs')
    .argument(...ID)
    .action(act((context, [id]) => change(context, 'GET', taskPath(id))));

  task
    .command('log')
    .description("the end of its newest run's output")
    .argument(...ID)
    .option('--tail <bytes>', 'how much of it', wholeNumber, 65_536)
    .action(
      act(async (context, [id], options) => {
        const log = await context.client().text(`${taskPath(id)}/log?tail=${options.tail}`);
        context.print({ log }, log);
        return EXIT.done;
      }),
    );
}

function addSayings(task: Command, act: Act): void {
  task
    .command('hold')
    .description('start nothing of it until it is released')
    .argument(...ID)
    .option('--reason <text>')
    .action(
      act((context, [id], { reason }) =>
        change(context, 'POST', `${taskPath(id)}/hold`, { json: reason === undefined ? {} : { reason } }),
      ),
    );

  for (const [verb, key] of [
    ['block', 'question'],
    ['answer', 'text'],
  ] as const) {
    task
      .command(verb)
      .description(verb === 'block' ? 'ask a question that someone must answer first' : 'answer all its open questions')
      .argument(...ID)
      .argument(`<${key}>`)
      .action(
        act((context, [id, said]) => change(context, 'POST', `${taskPath(id)}/${verb}`, { json: { [key]: said } })),
      );
  }
}

function addLinks(task: Command, act: Act): void {
  task
    .command('link')
    .description('tie it to an issue of its repository')
    .argument(...ID)
    .argument('<issue>', 'its number', wholeNumber)
    .action(act((context, [id, issue]) => change(context, 'PUT', `${taskPath(id)}/issue`, { json: { issue } })));

  task
    .command('unlink')
    .description('untie it from its issue')
    .argument(...ID)
    .action(act((context, [id]) => change(context, 'DELETE', `${taskPath(id)}/issue`)));
}

function taskPath(id: unknown): string {
  return `/tasks/${segment(String(id))}`;
}

async function change(context: Context, method: string, path: string, options?: RequestOptions): Promise<ExitCode> {
  const task = understand(taskView, await context.client().request(method, path, options));
  context.print(task, renderTask(task));
  return EXIT.done;
}
