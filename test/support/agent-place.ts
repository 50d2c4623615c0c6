/** What tests on agents in processes of their own begin and end with: a bundle for the file; for each test directories, a marker, and no agent left. */
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { type AgentProcess, bundleAgent, startAgentProcess } from './agent-process.ts';
import { makeOptions, type RunnerOptions, removeRunner } from './process-runner.ts';
import { endByWord, makeMarker, removeDirectory } from './processes.ts';

export interface AgentBundle {
  dir: string;
  bundle: string;
}

export interface AgentPlace {
  options: RunnerOptions;
  /** For command lines: whatever still has it at the end is ended. */
  marker: string;
  /** Another one on the same data directory. */
  start(listen?: string): Promise<AgentProcess>;
}

export interface AgentPlaceOptions {
  /** Whose the directories are; null: ours. */
  owner?: number | null;
  /** Words before `node`. */
  prefix?: (dataDir: string) => readonly string[];
}

export function useAgentBundle(): AgentBundle {
  const built = {} as AgentBundle;
  beforeAll(async () => {
    Object.assign(built, await bundleAgent());
  });
  afterAll(() => removeDirectory(built.dir));
  return built;
}

export function useAgentPlace(
  built: AgentBundle,
  { owner = null, prefix = () => [] }: AgentPlaceOptions = {},
): AgentPlace {
  const started: AgentProcess[] = [];
  const place = {
    async start(listen = '127.0.0.1:0') {
      const { dataDir } = place.options;
      const { bundle } = built;
      const agent = await startAgentProcess({ bundle, prefix: prefix(dataDir), flags: { dataDir, listen } });
      started.push(agent);
      return agent;
    },
  } as AgentPlace;
  beforeEach(() => {
    place.options = makeOptions('scan', owner);
    place.marker = makeMarker();
  });
  afterEach(async () => {
    for (const agent of started.splice(0)) await agent.kill();
    endByWord(place.marker);
    removeRunner(place.options);
  });
  return place;
}
