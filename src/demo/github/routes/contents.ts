/** The default branch's files and directories, as the contents API shows them. */
import { createHash } from 'node:crypto';
import { notFound, ok } from '../http/answer.ts';
import type { ApiRequest, Route } from '../http/router.ts';
import { apiUrl, repositoryApiUrl, repositoryPage } from '../render/urls.ts';
import type { Site } from '../site.ts';
import type { Repository } from '../state/types.ts';
import { visibleRepository } from './lookup.ts';

/** Of larger ones only the facts are told: https://docs.github.com/rest/repos/contents#get-repository-content */
const LARGEST_BYTES = 1024 * 1024;

export const contentsRoutes: readonly Route[] = [
  {
    method: 'GET',
    operation: '/repos/{owner}/{repo}/contents/{path}',
    as: 'token',
    permission: ['contents', 'read'],
    handle: readContents,
  },
];

interface Entry {
  type: 'file' | 'dir';
  path: string;
  size: number;
  sha: string;
}

function readContents(site: Site, request: ApiRequest) {
  const repository = visibleRepository(site, request);
  const path = request.params.path ?? '';
  const ref = request.query.get('ref') ?? repository.defaultBranch;
  const known = [repository.defaultBranch, `refs/heads/${repository.defaultBranch}`, repository.head].includes(ref);
  const content = repository.files.get(path);
  if (known && content !== undefined) return ok(renderFile(site, repository, { path, content, ref }));
  const entries = known ? entriesOf(repository, path) : [];
  if (entries.length === 0) throw notFound();
  return ok(entries.map((entry) => renderEntry(site, repository, entry, ref)));
}

/** What lies directly in a directory, by name; nothing where it isn't one. */
function entriesOf({ files, head }: Repository, directory: string): Entry[] {
  const entries = new Map<string, Entry>();
  for (const [path, content] of files) {
    if (!path.startsWith(`${directory}/`)) continue;
    const [name = '', ...below] = path.slice(directory.length + 1).split('/');
    const at = `${directory}/${name}`;
    const sha = below.length === 0 ? blobSha(content) : createHash('sha1').update(`${head} ${at}`).digest('hex');
    entries.set(name, { type: below.length === 0 ? 'file' : 'dir', path: at, size: content.length, sha });
  }
  return [...entries.keys()].sort().flatMap((name) => entries.get(name) ?? []);
}

function renderFile(site: Site, repository: Repository, file: { path: string; content: Buffer; ref: string }) {
  const { path, content, ref } = file;
  const fits = content.length <= LARGEST_BYTES;
  const entry: Entry = { type: 'file', path, size: content.length, sha: blobSha(content) };
  return {
    ...renderEntry(site, repository, entry, ref),
    encoding: fits ? 'base64' : 'none',
    content: fits ? content.toString('base64').replace(/.{60}/g, '$&\n') : '',
  };
}

function renderEntry(site: Site, repository: Repository, { type, path, size, sha }: Entry, ref: string) {
  const isFile = type === 'file';
  const url = `${repositoryApiUrl(site, repository)}/contents/${encodeURI(path)}?ref=${encodeURIComponent(ref)}`;
  const gitUrl = `${repositoryApiUrl(site, repository)}/git/${isFile ? 'blobs' : 'trees'}/${sha}`;
  const page = `${repositoryPage(site, repository)}/${isFile ? 'blob' : 'tree'}/${ref}/${encodeURI(path)}`;
  return {
    type,
    size: isFile ? size : 0,
    name: path.split('/').at(-1),
    path,
    sha,
    url,
    git_url: gitUrl,
    html_url: page,
    download_url: isFile ? apiUrl(site, `/raw/${repository.id}/${encodeURI(path)}`) : null,
    _links: { git: gitUrl, html: page, self: url },
  };
}

/** Git's id of such a content. */
function blobSha(content: Buffer): string {
  return createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex');
}
