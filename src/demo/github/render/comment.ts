/** Comments and reactions as GitHub writes them. */
import type { Site } from '../site.ts';
import { authorAssociation } from '../state/roles.ts';
import type { Comment, Reaction, Repository } from '../state/types.ts';
import { renderVia } from './app.ts';
import { renderReactionRollup } from './issue.ts';
import { isoSeconds, nodeId, repositoryApiUrl, repositoryPage } from './urls.ts';
import { renderUser } from './user.ts';

export function renderComment(site: Site, repository: Repository, comment: Comment) {
  const repositoryUrl = repositoryApiUrl(site, repository);
  const url = `${repositoryUrl}/issues/comments/${comment.id}`;
  return {
    id: comment.id,
    node_id: nodeId('IC', comment.id),
    url,
    html_url: `${repositoryPage(site, repository)}/issues/${comment.issueNumber}#issuecomment-${comment.id}`,
    issue_url: `${repositoryUrl}/issues/${comment.issueNumber}`,
    user: renderUser(site, comment.author),
    body: comment.body,
    created_at: isoSeconds(comment.createdAt),
    updated_at: isoSeconds(comment.updatedAt),
    author_association: authorAssociation(repository, comment.author),
    reactions: renderReactionRollup(`${url}/reactions`, comment.reactions),
    performed_via_github_app: renderVia(site, comment.via),
  };
}

export function renderReaction(site: Site, reaction: Reaction) {
  return {
    id: reaction.id,
    node_id: nodeId('REA', reaction.id),
    user: renderUser(site, reaction.by),
    content: reaction.content,
    created_at: isoSeconds(reaction.createdAt),
  };
}
