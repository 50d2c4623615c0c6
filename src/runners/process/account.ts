/** The operating-system account that runs belong to, if it is not the app's own. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { StartRefused } from '../../engine/ports.ts';
import { hasProgram } from './program.ts';

export interface Account {
  name: string;
  uid: number;
  gid: number;
  home: string;
}

/** Null: the app's own account. Throws one error that names the runner and what is missing. */
export async function findAccount(runner: string, user: string | undefined, path: string): Promise<Account | null> {
  if (user === undefined) return null;
  const account = await lookUp(user);
  if (account === null) throw new StartRefused(`runner ${runner}: user: there is no account "${user}" on this machine`);
  if (account.uid === process.getuid?.()) return null;
  if (process.getuid?.() !== 0) {
    throw new StartRefused(
      `runner ${runner}: user: "${user}" needs the app to run as root, to start programs under that account`,
    );
  }
  if (!hasProgram('setpriv', path))
    throw new StartRefused(`runner ${runner}: user: needs the program setpriv (util-linux)`);
  return account;
}

async function lookUp(user: string): Promise<Account | null> {
  if (!/^[A-Za-z0-9_][A-Za-z0-9._-]*\$?$/.test(user)) return null;
  const line = await promisify(execFile)('getent', ['passwd', user]).catch(() => null);
  const [name, , uid, gid, , home] = line?.stdout.trim().split(':') ?? [];
  if (name === undefined || uid === undefined || gid === undefined) return null;
  return { name, uid: Number(uid), gid: Number(gid), home: home || '/' };
}

/** The words that make a shell's child the account. Supplementary groups are the account's own, not the app's. */
export function becomeAccount(account: Account | null): string[] {
  if (account === null) return [];
  return ['setpriv', '--reuid', String(account.uid), '--regid', String(account.gid), '--init-groups'];
}
