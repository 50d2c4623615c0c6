/** What every use case is given: the ports and the policy. Joined once, in app/compose or by whoever embeds the engine. */
import type { Policy } from '../core/policy.ts';
import type { Limits } from '../core/schedule.ts';
import type {
  BranchReader,
  Clock,
  CommandReader,
  GitHubReader,
  GitHubWriter,
  InterpretDelivery,
  Logger,
  NewId,
  Runners,
  Store,
  SweepReader,
} from './ports.ts';
import type { KeptDays } from './retention/index.ts';

export interface Deps {
  store: Store;
  runners: Runners;
  /**
   * null: the engine runs by itself, and only manual changes and runners drive it. A reader alone is enough to follow
   * issues; what is owed to them then stays owed.
   */
  github: (GitHubReader & Partial<CommandReader & BranchReader & SweepReader & GitHubWriter>) | null;
  interpret: InterpretDelivery;
  policyOf(repositoryId: string): Promise<Policy>;
  /** Slugs of other Apps whose comments may command. */
  trustedApps(): readonly string[];
  limits: Limits;
  /** Read at each use; default: what the operator's file means by saying nothing. */
  retention?: KeptDays;
  /** `owner/name` of a repository that is followed from the start, where no webhook tells of any. */
  configuredRepository?: string;
  /** How long what runs goes on once the App was taken from its repository, in ms; default 600,000. */
  goneGraceMs?: number;
  clock: Clock;
  newId: NewId;
  log: Logger;
}
