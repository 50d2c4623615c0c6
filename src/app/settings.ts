/**
 * What of the operator's file a running app goes by: a newer file replaces it for every later decision. What a runner was opened
 * with stays until the next start.
 */
import { ATTENDED } from '../core/attended.ts';
import { matchesRepository, type OperatorFile, type RunnerSettings } from '../core/documents/index.ts';
import type { Floor } from '../core/policy.ts';
import type { Limits } from '../core/schedule.ts';
import type { JobControl, Runners } from '../engine/ports.ts';
import type { KeptDays } from '../engine/retention/index.ts';

export interface Settings {
  readonly limits: Limits;
  readonly retention: KeptDays;
  /** What every repository's file has to ask for at least. */
  permissionsFloor(): Floor;
  trustedApps(): readonly string[];
  runners: Runners & { all(): readonly JobControl[] };
  /** Gives the paths of what is different in the file and takes a restart. */
  replace(file: OperatorFile): readonly string[];
}

/** What a runner was opened with, by its key in the file. */
function openedWith(settings: RunnerSettings): Readonly<Record<string, unknown>> {
  const { kind, passEnv } = settings;
  if (settings.kind === 'process') return { kind, root: settings.root, user: settings.user, pass_env: passEnv };
  const { url, tokenEnv, caFile } = settings;
  return { kind, url, token_env: tokenEnv, ca_file: caFile, pass_env: passEnv };
}

/** `attended`: the runner that no file has to name. */
export function makeSettings(
  first: OperatorFile,
  opened: ReadonlyMap<string, JobControl>,
  attended: JobControl,
): Settings {
  let file = first;
  let seen = asConfigured(opened, file);
  return {
    limits: {
      get maxRunning() {
        return file.limits.maxRunning;
      },
      get maxRunningPerRepository() {
        return file.limits.maxRunningPerRepository;
      },
      get massStop() {
        return file.limits.massStop;
      },
      get maxDataAgeSeconds() {
        return file.limits.maxDataAgeSeconds;
      },
      get unreachableMinutes() {
        return file.limits.unreachableMinutes;
      },
    },
    retention: {
      get deliveriesDays() {
        return file.retention.deliveriesDays;
      },
      get logsDays() {
        return file.retention.logsDays;
      },
      get eventsDays() {
        return file.retention.eventsDays;
      },
    },
    permissionsFloor: () => file.permissionsFloor,
    trustedApps: () => file.trustedApps,
    runners: {
      get: (name) => (name === ATTENDED ? attended : (seen.get(name) ?? null)),
      names: () => [...seen.keys()],
      // Whoever attends a run does it where they may do as they please.
      allows: (name, fullName) =>
        name === ATTENDED || matchesRepository(file.runners[name]?.repositories ?? [], fullName),
      all: () => [...opened.values(), attended],
    },
    replace(newer) {
      const later = needRestart(first, newer);
      file = newer;
      seen = asConfigured(opened, file);
      return later;
    },
  };
}

/** A runner that the file has no more is open to nobody, and its runs can still be seen and stopped. */
function asConfigured(opened: ReadonlyMap<string, JobControl>, { runners }: OperatorFile): Map<string, JobControl> {
  return new Map(
    [...opened].map(([name, control]) => {
      const settings = runners[name];
      if (settings === undefined) return [name, control];
      const { maxRunning, graceSeconds } = settings;
      const seen: JobControl = {
        ...control,
        // It changes with what the runner says.
        get profile() {
          return { ...control.profile, maxRunning, graceSeconds };
        },
      };
      return [name, seen];
    }),
  );
}

/** Against what was opened, so that a second reload tells of the first one's, too. */
function needRestart(opened: OperatorFile, newer: OperatorFile): string[] {
  const names = new Set([...Object.keys(opened.runners), ...Object.keys(newer.runners)]);
  return [...names].flatMap((name) => {
    const [before, after] = [opened.runners[name], newer.runners[name]];
    if (before === undefined || after === undefined) return [`runners.${name}`];
    const [old, wanted] = [openedWith(before), openedWith(after)];
    if (before.kind !== after.kind) return [`runners.${name}.kind`];
    return Object.keys(old)
      .filter((key) => JSON.stringify(old[key]) !== JSON.stringify(wanted[key]))
      .map((key) => `runners.${name}.${key}`);
  });
}
