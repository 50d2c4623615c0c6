/** Deliveries about the App's installations and about the repositories themselves: what may be reached now may have changed. */
import type {
  InstallationEvent,
  InstallationRepositoriesEvent,
  InstallationTargetEvent,
  RepositoryEvent,
} from '@octokit/webhooks-types';
import { z } from 'zod';
import type { Hint } from '../engine/ports.ts';
import {
  anyInstallationSchema,
  namedInstallationSchema,
  onlyOf,
  type Place,
  placeSchema,
  read,
  refOf,
} from './payload.ts';

const INSTALLATION_ACTIONS = ['created', 'deleted', 'suspend', 'unsuspend', 'new_permissions_accepted'] as const;
/** Not `created`, of which an installation tells, and not `edited`: its description and the like. */
const REPOSITORY_ACTIONS = [
  'renamed',
  'transferred',
  'archived',
  'unarchived',
  'privatized',
  'publicized',
  'deleted',
] as const;

const installationPayloadSchema = z.object({
  action: z.string(),
  installation: namedInstallationSchema,
  repositories: z.array(placeSchema).nullish(),
});

const installedPayloadSchema = z.object({
  action: z.string(),
  installation: namedInstallationSchema,
  repositories_added: z.array(placeSchema),
  repositories_removed: z.array(placeSchema),
});

/** Of the account: all its repositories have another name. */
const targetPayloadSchema = z.object({ action: z.string(), installation: namedInstallationSchema });

const repositoryPayloadSchema = z.object({
  action: z.string(),
  repository: placeSchema,
  installation: anyInstallationSchema,
});

/** Does not compile once GitHub's published types of the events lack what is read here. */
const promised = [
  (event: InstallationEvent): z.input<typeof installationPayloadSchema> => event,
  (event: InstallationRepositoriesEvent): z.input<typeof installedPayloadSchema> => event,
  (event: InstallationTargetEvent): z.input<typeof targetPayloadSchema> => event,
  (event: RepositoryEvent): z.input<typeof repositoryPayloadSchema> => event,
  (event: InstallationEvent['action']): (typeof INSTALLATION_ACTIONS)[number] => event,
  (event: RepositoryEvent['action']): (typeof REPOSITORY_ACTIONS)[number] | 'created' | 'edited' => event,
];
void promised;

interface Told {
  action: string;
  installation?: z.infer<typeof anyInstallationSchema>;
}

export function interpretAccess(event: string, payload: unknown): Hint {
  function hintOf({ action, installation }: Told, places: readonly Place[]): Hint {
    return {
      kind: 'access',
      action: `${event}.${action}`,
      installationId: installation?.id ?? null,
      repositories: places.map((place) => refOf(place, installation)),
    };
  }

  switch (event) {
    case 'installation':
      return onlyOf(INSTALLATION_ACTIONS, payload, () =>
        read(installationPayloadSchema, payload, (told) => hintOf(told, told.repositories ?? [])),
      );
    case 'installation_repositories':
      return onlyOf(['added', 'removed'], payload, () =>
        read(installedPayloadSchema, payload, (told) =>
          hintOf(told, [...told.repositories_added, ...told.repositories_removed]),
        ),
      );
    case 'installation_target':
      return onlyOf(['renamed'], payload, () => read(targetPayloadSchema, payload, (told) => hintOf(told, [])));
    case 'repository':
      return onlyOf(REPOSITORY_ACTIONS, payload, () =>
        read(repositoryPayloadSchema, payload, (told) => hintOf(told, [told.repository])),
      );
    default:
      return { kind: 'ignored' };
  }
}
