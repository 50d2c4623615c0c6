/** Who we are on GitHub: learnt once, at the first need. A failure is not remembered. */
import { bodyOf, type GitHubClient } from './client.ts';
import { appSchema, userSchema } from './schemas.ts';

export interface Viewer {
  /** `slug[bot]` of the App, or the token's owner. */
  login: string;
  /** Both null in token mode. */
  appId: string | null;
  slug: string | null;
  permissions: Readonly<Record<string, string>>;
}

export type ReadViewer = () => Promise<Viewer>;

export function makeReadViewer(client: GitHubClient): ReadViewer {
  let known: Promise<Viewer> | null = null;

  return function readViewer() {
    known ??= askViewer(client).catch((error: unknown) => {
      known = null;
      throw error;
    });
    return known;
  };
}

async function askViewer(client: GitHubClient): Promise<Viewer> {
  if (client.mode === 'token') {
    const { login } = bodyOf(await client.callAsApp(null, 'GET /user'), userSchema);
    return { login, appId: null, slug: null, permissions: {} };
  }
  const { id, slug, permissions } = bodyOf(await client.callAsApp(null, 'GET /app'), appSchema);
  return { login: `${slug}[bot]`, appId: id, slug, permissions };
}
