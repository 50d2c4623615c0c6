#!/usr/bin/env node
// Cuts the committed GitHub description for tests out of GitHub's own OpenAPI document: the operations and webhooks listed
// here and every schema they reach, without prose. It changes nothing else, so that the cut is as strict as the original.
//
//   npm pack @octokit/openapi@23.0.2 && tar xzf octokit-openapi-23.0.2.tgz package/generated/api.github.com.json
//   node scripts/cut-openapi.mjs package/generated/api.github.com.json test/fixtures/openapi/github.json
import { readFileSync, writeFileSync } from 'node:fs';

const OPERATIONS = `
GET /app
GET /app/hook/config
GET /app/hook/deliveries
GET /app/hook/deliveries/{delivery_id}
POST /app/hook/deliveries/{delivery_id}/attempts
GET /app/installations
GET /app/installations/{installation_id}
POST /app/installations/{installation_id}/access_tokens
GET /apps/{app_slug}
GET /installation/repositories
GET /rate_limit
GET /repos/{owner}/{repo}
GET /repos/{owner}/{repo}/branches/{branch}
GET /repos/{owner}/{repo}/collaborators/{username}
GET /repos/{owner}/{repo}/collaborators/{username}/permission
GET /repos/{owner}/{repo}/compare/{basehead}
GET /repos/{owner}/{repo}/contents/{path}
GET /repos/{owner}/{repo}/installation
GET /repos/{owner}/{repo}/issues
POST /repos/{owner}/{repo}/issues
GET /repos/{owner}/{repo}/issues/comments
GET /repos/{owner}/{repo}/issues/comments/{comment_id}
PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}
DELETE /repos/{owner}/{repo}/issues/comments/{comment_id}
GET /repos/{owner}/{repo}/issues/comments/{comment_id}/reactions
POST /repos/{owner}/{repo}/issues/comments/{comment_id}/reactions
DELETE /repos/{owner}/{repo}/issues/comments/{comment_id}/reactions/{reaction_id}
GET /repos/{owner}/{repo}/issues/{issue_number}
PATCH /repos/{owner}/{repo}/issues/{issue_number}
GET /repos/{owner}/{repo}/issues/{issue_number}/comments
POST /repos/{owner}/{repo}/issues/{issue_number}/comments
GET /repos/{owner}/{repo}/issues/{issue_number}/dependencies/blocked_by
POST /repos/{owner}/{repo}/issues/{issue_number}/dependencies/blocked_by
DELETE /repos/{owner}/{repo}/issues/{issue_number}/dependencies/blocked_by/{issue_id}
GET /repos/{owner}/{repo}/issues/{issue_number}/dependencies/blocking
GET /repos/{owner}/{repo}/issues/{issue_number}/events
GET /repos/{owner}/{repo}/issues/{issue_number}/timeline
GET /user
GET /users/{username}
`
  .trim()
  .split('\n');

const WEBHOOKS = `
installation-created installation-deleted installation-new-permissions-accepted installation-suspend installation-unsuspend
installation-repositories-added installation-repositories-removed installation-target-renamed
issue-comment-created issue-comment-deleted issue-comment-edited
issue-dependencies-blocked-by-added issue-dependencies-blocked-by-removed
issue-dependencies-blocking-added issue-dependencies-blocking-removed
issues-closed issues-deleted issues-edited issues-labeled issues-locked issues-opened issues-reopened
issues-transferred issues-unlabeled issues-unlocked
ping push
repository-archived repository-deleted repository-privatized repository-publicized repository-renamed
repository-transferred repository-unarchived
`
  .trim()
  .split(/\s+/);

const PROSE = new Set(['description', 'example', 'examples', 'summary', 'externalDocs', 'title', 'tags']);

/** Drops prose keys, but never a property, parameter or status that merely bears such a name. */
function withoutProse(value, keysAreNames = false) {
  if (Array.isArray(value)) return value.map((item) => withoutProse(item));
  if (value === null || typeof value !== 'object') return value;
  const kept = Object.entries(value).filter(([key]) => keysAreNames || !(PROSE.has(key) || key.startsWith('x-')));
  return Object.fromEntries(
    kept.map(([key, item]) => {
      if (!keysAreNames && (key === 'enum' || key === 'default')) return [key, item];
      return [
        key,
        withoutProse(item, !keysAreNames && ['properties', 'responses', 'headers', 'content'].includes(key)),
      ];
    }),
  );
}

function findRefs(value, found) {
  if (value === null || typeof value !== 'object') return;
  if (typeof value.$ref === 'string') found.push(value.$ref);
  for (const item of Object.values(value)) findRefs(item, found);
}

function componentsReached(source, roots) {
  const components = {};
  const open = [];
  findRefs(roots, open);
  while (open.length > 0) {
    const [, , kind, name] = open.pop().split('/');
    components[kind] ??= {};
    if (kind === 'examples' || name in components[kind]) continue;
    components[kind][name] = withoutProse(source.components[kind][name]);
    findRefs(components[kind][name], open);
  }
  return Object.fromEntries(Object.entries(components).map(([kind, map]) => [kind, sortKeys(map)]));
}

function sortKeys(map) {
  return Object.fromEntries(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function pick(map, key, what) {
  if (map?.[key] === undefined) throw new Error(`GitHub's description has no ${what}`);
  return withoutProse(map[key]);
}

/** Compact, but with a line for each operation, webhook and schema, so that a newer description shows as a readable diff. */
function oneLinePerEntry(value, depth) {
  if (depth === 0 || value === null || typeof value !== 'object') return JSON.stringify(value);
  const lines = Object.entries(value).map(
    ([key, item]) => `${JSON.stringify(key)}:${oneLinePerEntry(item, depth - 1)}`,
  );
  return `{\n${lines.join(',\n')}\n}`;
}

function cut(source) {
  const paths = {};
  for (const operation of OPERATIONS) {
    const [method, path] = operation.split(' ');
    paths[path] ??= {};
    paths[path][method.toLowerCase()] = pick(source.paths[path], method.toLowerCase(), operation);
  }
  const webhooks = Object.fromEntries(
    WEBHOOKS.map((name) => [name, pick(source['x-webhooks'], name, `webhook ${name}`)]),
  );
  const components = componentsReached(source, { paths, webhooks });
  return { openapi: source.openapi, info: { version: source.info.version }, paths, 'x-webhooks': webhooks, components };
}

const [from, to] = process.argv.slice(2);
if (!from || !to) throw new Error('usage: node scripts/cut-openapi.mjs api.github.com.json OUTPUT');
writeFileSync(to, `${oneLinePerEntry(cut(JSON.parse(readFileSync(from, 'utf8'))), 3)}\n`);
