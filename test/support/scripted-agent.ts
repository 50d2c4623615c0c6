/** Something that listens where an agent should, and answers what a test puts there. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach } from 'vitest';
import type { JobControl } from '../../src/engine/ports/runner.ts';
import { openByAgent } from './agent.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

export interface ScriptedAgent {
  url: string;
  answer: Answer;
  requests: { path: string; authorization: string | undefined }[];
  close(): Promise<void>;
}

export async function startScriptedAgent(): Promise<ScriptedAgent> {
  const scripted: ScriptedAgent = {
    url: '',
    answer: json(statusAs()),
    requests: [],
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
  const server = createServer((request, response) => {
    scripted.requests.push({ path: request.url ?? '', authorization: request.headers.authorization });
    request.resume().on('end', () => scripted.answer(request, response));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  scripted.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return scripted;
}

/** For each test of the calling file one agent, and job control by it, which waits half a second for an answer. */
export function useScriptedAgent(): { agent: ScriptedAgent; control: JobControl } {
  const used = {} as { agent: ScriptedAgent; control: JobControl };
  beforeEach(async () => {
    used.agent = await startScriptedAgent();
    used.control = openByAgent(used.agent.url, { answerMs: 500 });
  });
  afterEach(async () => {
    await used.control.close();
    await used.agent.close();
  });
  return used;
}

export function answering(status: number, type: string, text: string, headers: Record<string, string> = {}): Answer {
  return (_request, response) => void response.writeHead(status, { 'content-type': type, ...headers }).end(text);
}

export function json(body: unknown, status = 200): Answer {
  return answering(status, 'application/json', JSON.stringify(body));
}

/** A whole answer that knows of nothing. `changes` with undefined leave a part away. */
export function statusAs(changes: Record<string, unknown> = {}): Record<string, unknown> {
  const agent = { instance: 'a', version: '1.2.3', now: new Date(), containment: 'cgroup', user: null, notes: [] };
  return { agent, active: [], completed: [], completed_left_out: 0, ...changes };
}

export function runningAs(runId: string, changes: Record<string, unknown> = {}): Record<string, unknown> {
  const run = { run_id: runId, state: 'running', started_at: new Date(), last_output_at: null, containment: 'cgroup' };
  return { ...run, ...changes };
}
