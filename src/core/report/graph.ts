/** The tasks of a batch as a Mermaid graph: what needs what, coloured by state. Pure. */
import type { Task, TaskState } from '../task.ts';
import { label } from './neutral.ts';

export type GraphTask = Pick<Task, 'key' | 'state' | 'needs'>;

/** More than this nobody can read. */
export const MAX_NODES = 60;
/** Mermaid draws 500 edges at most, and takes 50,000 characters. */
const MAX_EDGES = 400;
const MAX_CHARACTERS = 40_000;

/** Readable on a light and on a dark page. */
const COLOURS: Readonly<Record<TaskState, string>> = {
  waiting: 'fill:#d0d7de,stroke:#57606a,color:#1f2328',
  ready: 'fill:#ddf4ff,stroke:#0969da,color:#1f2328',
  running: 'fill:#0969da,stroke:#033d8b,color:#ffffff',
  blocked: 'fill:#fff8c5,stroke:#9a6700,color:#1f2328',
  done: 'fill:#1a7f37,stroke:#044f1e,color:#ffffff',
  failed: 'fill:#cf222e,stroke:#82071e,color:#ffffff',
  cancelled: 'fill:#6e7781,stroke:#424a53,color:#ffffff',
  skipped: 'fill:#eaeef2,stroke:#8c959f,color:#57606a,stroke-dasharray:4 3',
};

/** A fenced block; null: the batch is too large to be drawn, or has nothing to draw. */
export function graph(tasks: readonly GraphTask[]): string | null {
  if (tasks.length < 2 || tasks.length > MAX_NODES) return null;
  const ids = new Map(tasks.map(({ key }, index) => [key, `t${index}`]));
  const nodes = tasks.map(({ key, state }) => `  ${ids.get(key)}["${label(key)}"]:::${state}`);
  const edges = tasks.flatMap(({ key, needs }) =>
    needs.flatMap((need) => (ids.has(need) ? [`  ${ids.get(need)} --> ${ids.get(key)}`] : [])),
  );
  const states = [...new Set(tasks.map(({ state }) => state))].sort();
  const classes = states.map((state) => `  classDef ${state} ${COLOURS[state]}`);
  const text = ['```mermaid', 'graph LR', ...nodes, ...edges, ...classes, '```'].join('\n');
  return edges.length > MAX_EDGES || text.length > MAX_CHARACTERS ? null : text;
}
