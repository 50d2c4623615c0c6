/** `standdown explain …` */
import type { Command } from 'commander';
import { segment } from '../client.ts';
import { CliError, EXIT } from '../exit.ts';
import { parseIssueReference } from '../issue-reference.ts';
import { renderExplanation } from '../render-explanation.ts';
import { explanationView, understand } from '../views.ts';
import type { Act } from './act.ts';

export function addExplainCommand(program: Command, act: Act): void {
  program
    .command('explain')
    .description('why the tasks of an issue are where they are, and what closing or reopening it would do to them now')
    .argument('<issue>', "as acme/widgets#12, or the address of the issue's page")
    .action(
      act(async (context, [text]) => {
        const answer = await context.client().request('GET', pathOf(text!));
        const explanation = understand(explanationView, answer);
        context.print(explanation, renderExplanation(explanation));
        return EXIT.done;
      }),
    );
}

function pathOf(text: string): string {
  const issue = parseIssueReference(text);
  if (issue === null) {
    const accepted = "acme/widgets#12 or the address of the issue's page, https://github.com/acme/widgets/issues/12";
    throw new CliError(EXIT.usage, 'usage', `'${text}' names no issue; accepted is ${accepted}`);
  }
  return `/issues/${segment(issue.owner)}/${segment(issue.name)}/${issue.number}/explain`;
}
