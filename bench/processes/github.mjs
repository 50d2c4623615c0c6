// A stand-in GitHub with many issues in a process of its own, so that what it costs falls on nobody who is measured. It tells
// no webhook: what is found here is found by asking.
import { startStandInGitHub } from '../../dist/demo/github/index.js';
import { nodeId } from '../../dist/demo/github/render/urls.js';
import { answerParent, now } from './answer-parent.mjs';

const repositories = Number(process.env.REPOSITORIES);
const issuesEach = Number(process.env.ISSUES_EACH);
const ACTOR = 'ann';

/** All issues are from one second, long enough ago that no listing of what changed lately shows them. */
let clock = new Date(Math.floor(Date.now() / 1_000) * 1_000 - 3_600_000);
const github = await startStandInGitHub({ now: () => clock ?? new Date() });
github.rateLimit.setLimit(1e9);
github.addUser(ACTOR);
const names = Array.from({ length: repositories }, (_, i) => `acme/work-${i + 1}`);
const added = names.map((fullName) => {
  const { id } = github.addRepository(fullName);
  github.setPermission(fullName, ACTOR, 'write');
  github.addIssues(fullName, issuesEach);
  return { id: String(id), fullName, installationId: github.installationId };
});
clock = null;

let counted = 0;
let changes = 0;
const closed = [];

/** Since the question before. */
function spent() {
  const fresh = github.requests().slice(counted);
  counted += fresh.length;
  const costs = fresh.filter(({ status, caller }) => status !== 304 && caller?.startsWith('installation'));
  return { requests: fresh.length, quota: costs.length };
}

const CHANGES = {
  edit: (issue) => issue.edit({ by: ACTOR, title: `Something else to do, seen ${changes} times` }),
  close(issue) {
    issue.close({ by: ACTOR, reason: 'completed' });
    closed.push(issue);
  },
};

/** The next issue that was never changed, from one repository to the next. */
function changeNext(what) {
  const repository = added[changes % repositories];
  const number = Math.floor(changes / repositories) + 1;
  changes += 1;
  const at = now();
  CHANGES[what](github.issue(repository.fullName, number));
  return { repositoryId: repository.id, number, at };
}

/** Evenly over that time; 0: all in this moment. */
async function change({ what, count, overMs }) {
  const started = now();
  const done = [];
  for (let i = 0; i < count; i++) {
    const wait = started + (overMs * i) / count - now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    done.push(changeNext(what));
  }
  return done;
}

function reopenAll() {
  for (const issue of closed.splice(0)) issue.reopen({ by: ACTOR });
}

function nodeIdsOf(fullName) {
  return Array.from({ length: issuesEach }, (_, i) => nodeId('I', github.findIssue(fullName, i + 1).id));
}

answerParent(github.url, {
  access: () => ({ baseUrl: github.apiUrl, appId: github.appId, privateKey: github.privateKey }),
  repositories: () => added,
  nodeIdsOf,
  spent,
  change,
  reopenAll,
  close: () => github.close(),
});
