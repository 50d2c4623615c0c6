/** `standdown agent`: job control of this machine, for an app elsewhere. */
import { type Command, Option } from 'commander';
import type { AgentFlags } from '../../app/agent/config.ts';
import type { Act } from './act.ts';

const HELP = `
Environment: STANDDOWN_AGENT_TOKEN, which apps have to show; LOG_LEVEL, LOG_FORMAT

Runs outlive it: started again with the same directory, it takes up those that live.`;

export function addAgentCommand(program: Command, act: Act): void {
  program
    .command('agent')
    .description('start and stop runs on this machine for an app elsewhere, until it is told to stop')
    .addOption(new Option('--listen <host:port>', 'where it listens').default('127.0.0.1:7433'))
    .requiredOption('--data-dir <directory>', 'for the directories and logs of runs; its own alone')
    .option('--tls-cert <file>', 'PEM; without it plain HTTP, which takes a loopback address')
    .option('--tls-key <file>', 'PEM')
    .option('--root <directory>', 'working directories must lie below it; default: the data directory')
    .option('--user <account>', 'runs under another account; takes root')
    .option('--pass-env <names...>', 'variables that tasks may ask for; their values are kept out of logs')
    .addHelpText('after', HELP)
    .action(act((context, _positional, flags) => context.agent(flags as unknown as AgentFlags)));
}
