/** A repository's commits, and what its branches lead to. Each has one parent at most: nobody merges here. */
import { createHash } from 'node:crypto';
import type { Commit, Repository } from './types.ts';

/** undefined: there is no such branch. */
export function headOf(repository: Repository, branch: string): string | undefined {
  return branch === repository.defaultBranch ? repository.head : repository.branches.get(branch);
}

export function setHead(repository: Repository, branch: string, sha: string): void {
  if (branch === repository.defaultBranch) repository.head = sha;
  else repository.branches.set(branch, sha);
}

/** `seed`: what tells it from the other commits upon its parent. */
export function addCommit(repository: Repository, seed: string, commit: Omit<Commit, 'sha'>): Commit {
  const sha = sha1(`${commit.parent ?? ''} ${seed}`);
  const added = { sha, ...commit };
  repository.commits.set(sha, added);
  return added;
}

/** By a branch's name, which comes first, or by its id. */
export function findCommit(repository: Repository, ref: string): Commit | undefined {
  return repository.commits.get(headOf(repository, ref) ?? ref);
}

/** The commit itself, its parent, and so on down to the first. */
export function historyOf(repository: Repository, commit: Commit): Commit[] {
  const history = [commit];
  for (let at = commit; at.parent !== null; history.push(at)) {
    const parent = repository.commits.get(at.parent);
    if (parent === undefined) throw new Error(`the stand-in GitHub has no commit ${at.parent}`);
    at = parent;
  }
  return history;
}

/** Git's id of its tree. */
export function treeOf({ sha }: Commit): string {
  return sha1(`tree ${sha}`);
}

export function sha1(text: string): string {
  return createHash('sha1').update(text).digest('hex');
}
