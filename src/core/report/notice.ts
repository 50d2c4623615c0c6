/** The comment about a repository's file that is wrong: what is wrong where, what is accepted, and what is in force meanwhile. Pure. */
import { composeBody, listing } from './body.ts';
import { markerOf } from './markers.ts';
import { code, fenced } from './neutral.ts';

export interface NoticeReport {
  id: string;
  path: string;
  /** Git's id of the content that is wrong. */
  sha: string;
  /** Lines for people, each with its place and what is accepted there. */
  problems: readonly string[];
  /** Git's id of the last content that was right; null: none was. */
  inForce: string | null;
}

const MAX_CHARACTERS = 20_000;
const MAX_PROBLEMS = 50;

export function renderNotice({ id, path, sha, problems, inForce }: NoticeReport): string {
  const list = listing(problems, {
    most: MAX_PROBLEMS,
    line: (problem) => problem.replace(/\s+/g, ' ').slice(0, 500),
    more: (left) => `and ${left} more`,
  });
  const meanwhile =
    inForce === null
      ? 'Until it is right nothing can be started by name, and the defaults are in force.'
      : `Until it is right its last right content (${code(inForce.slice(0, 12))}) stays in force.`;
  return composeBody([
    markerOf('notice', id),
    `**${code(path)} of this repository is wrong** (content ${code(sha.slice(0, 12))}):`,
    '',
    fenced(composeBody([list], MAX_CHARACTERS), MAX_CHARACTERS),
    '',
    meanwhile,
  ]);
}
