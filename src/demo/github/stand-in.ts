/** What a running stand-in offers to a demo or a test, beside the HTTP API that the app under test talks to. */
import type { Violation } from './check.ts';
import type { Faults } from './faults.ts';
import type { RateLimits } from './http/rate-limit.ts';
import type { RequestLogEntry } from './http/server.ts';
import type { InstallationHands } from './people/installation-hands.ts';
import type { IssueHands } from './people/issue-hands.ts';
import type { RepositoryHands } from './people/repository-hands.ts';
import type { SetUpHands } from './people/set-up-hands.ts';
import type { Comment, Issue } from './state/types.ts';
import type { Delivery, Hook } from './webhooks/hook.ts';

export interface StandInGitHub extends SetUpHands {
  /** `http://127.0.0.1:PORT`. */
  readonly url: string;
  /** `127.0.0.1:PORT`: what `GHE_HOST` takes, with `GHE_PROTOCOL=http`. */
  readonly host: string;
  /** `http://127.0.0.1:PORT/api/v3`: what Octokit's `baseUrl` takes. */
  readonly apiUrl: string;
  readonly appId: number;
  readonly appSlug: string;
  /** PEM (PKCS#8), made for this instance. */
  readonly privateKey: string;
  readonly webhookSecret: string;
  /** The first account's. */
  readonly installationId: number;

  issue: (repository: string, number: number) => IssueHands;
  repository: (fullName: string) => RepositoryHands;
  installation: InstallationHands;

  /** Its clock, in whole seconds. */
  now: () => Date;
  /** The issue as it is; undefined once it is deleted or transferred. */
  findIssue: (repository: string, number: number) => Readonly<Issue> | undefined;
  /** Oldest first. */
  comments: (repository: string, number: number) => readonly Readonly<Comment>[];
  /** Every API request, oldest first. */
  requests: () => readonly Readonly<RequestLogEntry>[];
  deliveries: () => readonly Readonly<Delivery>[];
  /** What contradicted the description, or asked for what the stand-in does not implement. */
  violations: () => readonly Violation[];

  webhooks: Omit<Hook, 'emit' | 'id' | 'end' | 'deliveries'> & { ping: () => Delivery };
  faults: Faults;
  rateLimit: RateLimits;
  /** Drops every connection. */
  close: () => Promise<void>;
}
