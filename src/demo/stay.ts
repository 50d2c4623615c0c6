/** `standdown demo --stay`: the stand-in GitHub and the app stay, for people to try what they like on them until Ctrl-C. */
import { once } from 'node:events';
import { MARK_VARIABLE, REPOSITORY } from './batch.ts';
import type { Narrator } from './narrator.ts';
import { AGENT_ADDRESS, type Stage } from './stage.ts';

const HERE_ISSUE = 2;
const ELSEWHERE_ISSUE = 3;
const ATTENDED_ISSUE = 4;

/** Resolves when the signal comes. */
export async function stayOpen({ github, app, api, token, marker }: Stage, narrator: Narrator, signal: AbortSignal) {
  const batch = await api.submit(documentOf(marker));
  const idOf = (key: string) => batch.tasks.find((task) => task.key === key)?.id ?? '';
  const issues = `${github.url}/api/v3/repos/${REPOSITORY}/issues`;
  const ann = `curl -s -H "Authorization: Bearer ${github.addToken('ann')}"`;
  narrator.scene('It stays until Ctrl-C. In other terminals, first:');
  narrator.say(`export STANDDOWN_URL=${app.url} STANDDOWN_API_TOKEN=${token}`);
  narrator.scene('What runs, and why what does not');
  narrator.say(`npx standdown batch status ${batch.id}`);
  narrator.scene(`Close #${HERE_ISSUE} as ann: its run stops, and one comment says so`);
  narrator.say(
    `${ann} -X PATCH -d '{"state":"closed","state_reason":"not_planned"}' ${issues}/${HERE_ISSUE} >/dev/null`,
  );
  const bodies = `JSON.parse(fs.readFileSync(0)).map(({ body }) => body).join('\\n\\n')`;
  narrator.say(`${ann} ${issues}/${HERE_ISSUE}/comments | node -p "${bodies}"`);
  narrator.scene(`Run a command of your own as a task of #${ATTENDED_ISSUE}, then close that`);
  narrator.say(`npx standdown attend --task ${idOf('label')} -- sleep 600`);
  narrator.scene(`Start an agent, which runs the task of #${ELSEWHERE_ISSUE}`);
  narrator.say(`STANDDOWN_AGENT_TOKEN=${token} npx standdown agent --listen ${AGENT_ADDRESS} --data-dir ./agent-data`);
  if (!signal.aborted) await once(signal, 'abort');
}

function documentOf(marker: string): object {
  const long = (key: string) => ({
    run: ['sh', '-c', 'echo working; sleep 3600'],
    env: { [MARK_VARIABLE]: `${marker}:${key}` },
  });
  return {
    repository: REPOSITORY,
    name: 'yours',
    tasks: {
      train: { issue: HERE_ISSUE, runs_on: 'local', ...long('train') },
      index: { issue: ELSEWHERE_ISSUE, runs_on: 'lab', ...long('index') },
      label: { issue: ATTENDED_ISSUE, runs_on: 'attended' },
    },
  };
}
