/** `standdown doctor`: how it stands with the app and all that it depends on. Only looks. */
import type { Command } from 'commander';
import type { Client } from '../client.ts';
import type { Context } from '../context.ts';
import { type Finding, findingsOf } from '../doctor/findings.ts';
import { readyView } from '../doctor/ready-view.ts';
import { CliError, EXIT, type ExitCode } from '../exit.ts';
import { table } from '../table.ts';
import { holdView, pageOf, understand } from '../views.ts';
import type { Act } from './act.ts';

export function addDoctorCommand(program: Command, act: Act): void {
  program
    .command('doctor')
    .description('how it stands with the app, GitHub, webhooks and runners; exits with 1 where something is wrong')
    .action(act((context) => lookOver(context)));
}

async function lookOver(context: Context): Promise<ExitCode> {
  const client = context.client();
  const ready = understand(readyView, await client.readiness());
  const findings = [...findingsOf(ready, new Date()), ...(await findingsOfApi(client))];
  const wrong = findings.filter(({ level }) => level === 'wrong').length;
  const verdict = wrong === 0 ? 'Nothing is wrong.' : `${wrong} ${wrong === 1 ? 'thing is' : 'things are'} wrong.`;
  const rows = findings.map(({ level, of, message }) => [level, of, message]);
  context.print({ ok: wrong === 0, findings, ready }, `${table(rows)}\n${verdict}\n`);
  return wrong === 0 ? EXIT.done : EXIT.workFailed;
}

/** The app answers without a token whether it is ready; everything else may take one. */
async function findingsOfApi(client: Client): Promise<Finding[]> {
  try {
    const { items } = understand(pageOf(holdView), await client.request('GET', '/holds'));
    const paused: Finding = { level: 'note', of: 'api', message: `${items.length} paused: see standdown pause --list` };
    return [{ level: 'ok', of: 'api', message: 'answers' }, ...(items.length > 0 ? [paused] : [])];
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return [{ level: 'wrong', of: 'api', message: error.message }];
  }
}
