/** What the cases of crash walks are made of, and what REST shows of them. */

export interface Case {
  issue: number;
  marker: string;
  batchId: string;
  /** Of the batch's first task. */
  taskId: string;
}

/** The tasks of a case's batch, and what else its document says. */
export type CaseDocument = (it: Pick<Case, 'issue' | 'marker'>) => { tasks: Record<string, object> } & object;

/** One long task whose processes carry the marker. */
export const ONE_LONG_TASK: CaseDocument = ({ issue, marker }) => ({
  tasks: { work: { issue, run: longProgram(marker) } },
});

export function longProgram(marker: string): string[] {
  return ['sh', '-c', 'sleep 300 & sleep 300; wait', marker];
}

export interface TaskView {
  key: string;
  state: string;
  cause: string | null;
  not_before: string | null;
  runs: { number: number; state: string; started_at: string | null }[];
}

export interface BatchView {
  id: string;
  state: string;
  order: object | null;
  tasks: (TaskView & { id: string })[];
}

export interface Backlog {
  deliveries: number;
  messages: number;
  keys: number;
}

export interface JournalView {
  id: string;
  type: string;
  at: string;
  batch_id: string | null;
  task_id: string | null;
  issue: number | null;
  data: unknown;
}
