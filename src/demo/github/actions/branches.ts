/** What people push. */
import { renderPush } from '../render/push.ts';
import type { Site } from '../site.ts';
import { addCommit, findCommit, headOf, setHead } from '../state/commits.ts';
import type { Commit, Repository, User } from '../state/types.ts';
import { announce } from '../webhooks/announce.ts';
import type { Delivery } from '../webhooks/hook.ts';

export interface Push {
  /** How many; default 1. */
  commits?: number;
  /** Where a new branch begins: a branch or a commit's id; null: with a first commit of its own. Default: the default branch. */
  from?: string | null;
}

export function pushBranch(
  site: Site,
  repository: Repository,
  sender: User,
  { branch, commits: count = 1, from = repository.defaultBranch }: Push & { branch: string },
): Delivery {
  const before = headOf(repository, branch) ?? null;
  const start = before ?? from;
  const first = start === null ? null : findCommit(repository, start);
  if (first === undefined) throw new Error(`the stand-in GitHub has no branch or commit ${start}`);
  const commits: Commit[] = [];
  for (let made = 0; made < count; made += 1) {
    const message = `Work on ${branch}`;
    const parent = commits.at(-1)?.sha ?? first?.sha ?? null;
    // The same push to the same place makes other commits each time, as its author's clock has it.
    const seed = `${branch} ${repository.commits.size}`;
    commits.push(addCommit(repository, seed, { parent, message, author: sender, at: site.now() }));
  }
  const head = commits.at(-1) ?? first;
  if (head === null) throw new Error('a branch of its own begins with a commit');
  setHead(repository, branch, head.sha);
  return tell(site, repository, sender, { branch, before, after: head.sha, commits });
}

/** Its commits stay. */
export function deleteBranch(site: Site, repository: Repository, sender: User, branch: string): Delivery {
  const before = repository.branches.get(branch);
  if (before === undefined) throw new Error(`the stand-in GitHub has no branch ${branch} to delete`);
  repository.branches.delete(branch);
  return tell(site, repository, sender, { branch, before, after: null, commits: [] });
}

/** Of the default branch: `text: null` removes the file. */
export function pushFile(
  site: Site,
  repository: Repository,
  sender: User,
  { path, text }: { path: string; text: string | Buffer | null },
): Delivery {
  const kind = text === null ? 'removed' : repository.files.has(path) ? 'modified' : 'added';
  if (text === null) repository.files.delete(path);
  else repository.files.set(path, Buffer.isBuffer(text) ? text : Buffer.from(text));
  const { head: before, defaultBranch: branch } = repository;
  const message = `${kind === 'removed' ? 'Remove' : 'Write'} ${path}`;
  const commit = { parent: before, message, author: sender, at: site.now() };
  const made = addCommit(repository, `${path} ${text}`, commit);
  repository.head = made.sha;
  const pushed = { branch, before, after: made.sha, commits: [made], files: { path, kind } } as const;
  return tell(site, repository, sender, pushed);
}

function tell(site: Site, repository: Repository, sender: User, pushed: Parameters<typeof renderPush>[3]): Delivery {
  repository.pushedAt = site.now();
  const fields = renderPush(site, repository, sender, pushed);
  return announce(site, { event: 'push', action: null, repository, sender, fields });
}
