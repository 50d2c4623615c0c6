/** The demo's batch: six small shell programs, each linked to an issue. They end by themselves, whatever becomes of the demo. */

export const REPOSITORY = 'acme/widgets';

/** Every process of the demo's runs is found by this variable of its environment, which its children inherit. */
export const MARK_VARIABLE = 'DEMO_TASK';

/** Longer than the demo may take; the programs never outlive it by more. */
const SLEEP_SECONDS = 90;

interface DemoTask {
  key: string;
  issue: number;
  title: string;
  /** For the list that people see. */
  does: string;
  /** Processes once it is under way; null: it is over too soon to be counted. */
  processes: number | null;
  script: string;
  needs?: readonly string[];
  graceSeconds?: number;
}

/** TERM is ignored by all six of them: three workers, a daemon that left the session and was orphaned, and its child. */
const TRAIN = `
trap '' TERM
for worker in 1 2 3; do sleep ${SLEEP_SECONDS} & done
( setsid sh -c 'sleep ${SLEEP_SECONDS} & wait' & )
echo "training with 3 workers and a daemon; all of them ignore TERM"
wait
`;

const INDEX = `
if [ -n "\${STANDDOWN_REQUEUE_REASON:-}" ]; then
  echo "run $STANDDOWN_RUN_NUMBER, because of $STANDDOWN_REQUEUE_REASON: the rest is indexed"
  exit 0
fi
echo "run $STANDDOWN_RUN_NUMBER: indexing"
sleep ${SLEEP_SECONDS} &
wait
`;

const SCORE = `
echo "scoring"
sleep ${SLEEP_SECONDS} &
wait
`;

const TUNE = `
echo "tuning"
sleep ${SLEEP_SECONDS} &
wait
`;

export const TASKS: readonly DemoTask[] = [
  {
    key: 'fetch',
    issue: 1,
    title: 'Fetch the data',
    does: 'ends by itself after a second',
    processes: null,
    script: 'sleep 1; echo "fetched"',
  },
  {
    key: 'train',
    issue: 2,
    title: 'Train the ranker',
    does: 'six processes that ignore TERM, one of them a daemon',
    processes: 6,
    script: TRAIN,
    graceSeconds: 1,
  },
  {
    key: 'index',
    issue: 3,
    title: 'Index the archive',
    does: 'would run for a long time',
    processes: 2,
    script: INDEX,
  },
  {
    key: 'score',
    issue: 4,
    title: 'Score the images',
    does: 'would run for a long time',
    processes: 2,
    script: SCORE,
  },
  {
    key: 'report',
    issue: 5,
    title: 'Write the report',
    does: 'starts when train is done',
    processes: null,
    script: 'echo "reported"',
    needs: ['train'],
  },
  {
    key: 'tune',
    issue: 6,
    title: 'Tune the weights',
    does: 'would run for a long time',
    processes: 2,
    script: TUNE,
  },
];

export function markOf(marker: string, key: string): string {
  return `${MARK_VARIABLE}=${marker}:${key}`;
}

/** The batch document, as REST takes it. */
export function batchDocument(marker: string): object {
  return {
    repository: REPOSITORY,
    name: 'nightly',
    max_parallel: TASKS.length,
    tasks: Object.fromEntries(
      TASKS.map((task) => [
        task.key,
        {
          issue: task.issue,
          name: task.title,
          runs_on: 'local',
          run: ['sh', '-c', task.script],
          env: { [MARK_VARIABLE]: `${marker}:${task.key}` },
          ...(task.needs && { needs: task.needs }),
          ...(task.graceSeconds !== undefined && { grace_seconds: task.graceSeconds }),
        },
      ]),
    ),
  };
}
