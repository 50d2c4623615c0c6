/** The app's REST API, as the demo uses it: the way in for people and programs. */

interface RunView {
  id: string;
  number: number;
  state: string;
}

export interface TaskView {
  id: string;
  key: string;
  state: string;
  cause: string | null;
  actor: string | null;
  runs: readonly RunView[];
}

export interface BatchView {
  id: string;
  state: string;
  tasks: readonly TaskView[];
}

const ANSWER_MS = 10_000;

export interface Api {
  submit(document: object): Promise<BatchView>;
  batch(id: string): Promise<BatchView>;
  log(taskId: string): Promise<string>;
}

export function makeApi(url: string, token: string): Api {
  async function ask(method: string, path: string, body?: object): Promise<Response> {
    const answer = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      signal: AbortSignal.timeout(ANSWER_MS),
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} ${path} was answered ${answer.status}: ${await answer.text()}`);
    return answer;
  }

  return {
    submit: async (document) => (await (await ask('POST', '/batches', document)).json()) as BatchView,
    batch: async (id) => (await (await ask('GET', `/batches/${id}`)).json()) as BatchView,
    log: async (taskId) => (await ask('GET', `/tasks/${taskId}/log`)).text(),
  };
}

export function taskIn(batch: BatchView, key: string): TaskView {
  const task = batch.tasks.find((one) => one.key === key);
  if (task === undefined) throw new Error(`the batch has no task ${key}`);
  return task;
}
