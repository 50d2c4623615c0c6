/** How a scene is laid: accounts, apps, tokens, repositories, roles and first issues. Nobody is told of it but by new issues. */
import { randomBytes } from 'node:crypto';
import { deleteBranch, type Push, pushBranch, pushFile } from '../actions/branches.ts';
import { ensureInstallation } from '../actions/installations.ts';
import { openIssue, placeNewIssue } from '../actions/issues.ts';
import { createRepository, ensureUser, setRole } from '../actions/repositories.ts';
import { dropRepository, moveRepository } from '../actions/repository-life.ts';
import { makeApp } from '../make-site.ts';
import type { Site } from '../site.ts';
import type { Permissions, Repository, Role, User } from '../state/types.ts';
import { findRepository } from '../state/world.ts';
import { type Delivery, type Hook, makeHook } from '../webhooks/hook.ts';
import { actorOf, type By, type HandsContext, type IssueHands, makeIssueHands } from './issue-hands.ts';

export interface SetUpHands {
  addUser: (login: string, type?: 'User' | 'Bot') => void;
  /** Another app, whose bot is `slug[bot]`. Default permissions: `metadata: read`. */
  addApp: (slug: string, options?: { permissions?: Permissions }) => void;
  /** A personal access token of that person. */
  addToken: (login: string) => string;
  /** `owner/name`; an owner that is unknown becomes an organisation. Default: public, and the app is installed on it. */
  addRepository: (fullName: string, options?: { private?: boolean; installed?: boolean }) => Repository;
  /** As `repository(…).rename`, but no webhook tells of it. */
  renameRepository: (fullName: string, name: string) => void;
  /** As `repository(…).delete`, but no webhook tells of it. */
  deleteRepository: (fullName: string) => void;
  /** `roleName`: a custom role's, based on `role`. */
  setPermission: (repository: string, login: string, role: Role, roleName?: string) => void;
  /** One commit on the default branch; `text: null` removes the file. */
  pushFile: (repository: string, file: By & { path: string; text: string | Buffer | null }) => Delivery;
  /** New commits on a branch, which begins there if it is new. */
  pushBranch: (repository: string, branch: string, push: By & Push) => Delivery;
  deleteBranch: (repository: string, branch: string, how: By) => Delivery;
  /**
   * A webhook of the repository itself, beside the app's: the same events under GUIDs of its own, without an installation.
   * Default events: `issues`, `issue_comment`.
   */
  addRepositoryHook: (repository: string, hook: NewHook) => Omit<Hook, 'emit' | 'id' | 'end'>;
  /** Default: by `ann`, with the next free number. */
  addIssue: (
    repository: string,
    issue?: Partial<By> & { title?: string; body?: string; number?: number; isPullRequest?: boolean },
  ) => IssueHands;
  /** So many at once, by `ann`, with the next free numbers, and no webhook tells of them. Returns the first number. */
  addIssues: (repository: string, count: number, issue?: Partial<By> & { title?: string; body?: string }) => number;
}

interface NewHook {
  url: string;
  secret: string;
  events?: readonly string[];
}

const LEAST: Permissions = { metadata: 'read' };

export function makeSetUpHands(context: HandsContext, account: User): SetUpHands {
  const { site, user, repository } = context;
  return {
    addUser: (login, type = 'User') => {
      ensureUser(site.world, login, type, site.now());
    },
    addApp: (slug, { permissions = LEAST } = {}) => {
      const app = makeApp(site.world, { slug, owner: account, permissions, events: [], createdAt: site.now() });
      site.apps.set(slug, app);
    },
    addToken: (login) => {
      const token = `ghp_${randomBytes(18).toString('hex')}`;
      site.tokens.personal.set(token, user(login));
      return token;
    },
    addRepository: (fullName, options) => addRepository(context, fullName, options),
    renameRepository: (fullName, name) => moveRepository(site, repository(fullName), { name }),
    deleteRepository: (fullName) => dropRepository(site, repository(fullName)),
    setPermission: (name, login, role, roleName = role) => setRole(repository(name), user(login), role, roleName),
    pushFile: (name, { by, ...file }) => pushFile(site, repository(name), user(by), file),
    pushBranch: (name, branch, { by, ...push }) => pushBranch(site, repository(name), user(by), { ...push, branch }),
    deleteBranch: (name, branch, { by }) => deleteBranch(site, repository(name), user(by), branch),
    addRepositoryHook: (name, hook) => addRepositoryHook(site, repository(name), hook),
    addIssue: (name, { by = 'ann', title = 'Something to do', ...wanted } = {}) => {
      const { issue } = openIssue(site, repository(name), actorOf(context, { by }), { title, ...wanted });
      return makeIssueHands(context, name, issue.number);
    },
    addIssues: (name, count, { by = 'ann', title = 'Something to do', body } = {}) => {
      const [place, actor] = [repository(name), actorOf(context, { by })];
      const first = place.nextNumber;
      for (let made = 0; made < count; made += 1) {
        placeNewIssue(site, place, actor, { title, ...(body === undefined ? {} : { body }) });
      }
      return first;
    },
  };
}

function addRepository(
  { site }: HandsContext,
  fullName: string,
  { private: isPrivate = false, installed = true }: { private?: boolean; installed?: boolean } = {},
): Repository {
  const [login, name] = fullName.split('/');
  if (!login || !name) throw new Error(`${fullName} is not owner/name`);
  if (findRepository(site.world, fullName)) throw new Error(`there is a repository ${fullName} already`);
  const owner = ensureUser(site.world, login, 'Organization', site.now());
  const repository = createRepository(site, owner, name, isPrivate);
  if (installed) ensureInstallation(site, owner);
  repository.installed = installed;
  return repository;
}

function addRepositoryHook(
  site: Site,
  { id }: Repository,
  { url, secret, events = ['issues', 'issue_comment'] }: NewHook,
): Hook {
  const { now, onMessage } = site;
  const { takeId } = site.world;
  const hook = makeHook({ id: takeId(), target: { id, type: 'repository' }, secret, now, takeId, onMessage });
  hook.to(url);
  site.repositoryHooks.set(id, [...(site.repositoryHooks.get(id) ?? []), { events, hook }]);
  return hook;
}
