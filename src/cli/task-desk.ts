/** The app as whoever attends a task needs it: the claim, the news, the end. */
import { setTimeout as pause } from 'node:timers/promises';
import type { TaskDesk } from '../app/attend/index.ts';
import { type Client, segment } from './client.ts';
import { CliError, EXIT } from './exit.ts';
import { attendedNewsView, attendedView, understand } from './views.ts';

/** A claim whose answer was lost is made again: it is the same one. */
const CLAIMS = 3;
const CLAIM_AGAIN_MS = 1_000;

export function makeTaskDesk(client: (ended?: AbortSignal) => Client, taskId: string): TaskDesk {
  const path = (runId: string) => `/runs/${segment(runId)}/attend`;
  return {
    async claim(session, { pidNamespace, ...process }) {
      const json = { session, ...process, pid_namespace: pidNamespace };
      const answer = await persistently(() => client().request('POST', `/tasks/${segment(taskId)}/attend`, { json }));
      const { run_id: runId, grace_seconds: graceSeconds, env } = understand(attendedView, answer);
      return { runId, graceSeconds, env: ofStanddown(env) };
    },
    async news({ runId, session }, { isPatient, ended }) {
      const query = `session=${session}${isPatient ? '' : '&wait_seconds=0'}`;
      return understand(attendedNewsView, await client(ended).request('GET', `${path(runId)}?${query}`));
    },
    async end({ runId, session }, { exitCode, signal, survivors, agoMs }) {
      const json = { session, exit_code: exitCode, signal, survivors, ended_seconds_ago: Math.max(0, agoMs / 1_000) };
      try {
        await client().request('POST', `${path(runId)}/end`, { json });
        return null;
      } catch (error) {
        // Said again, it would be answered the same.
        if (error instanceof CliError && FINAL.includes(error.code)) return error.message;
        throw error;
      }
    },
  };
}

const FINAL = ['not_found', 'conflict', 'bad_request'];

/** The command's environment is a person's own: nothing else is put there. */
function ofStanddown(env: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => /^STANDDOWN_[A-Z_]+$/.test(name)));
}

async function persistently(claim: () => Promise<unknown>): Promise<unknown> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await claim();
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      const { exitCode, code, message, problems } = error;
      if (exitCode !== EXIT.unreachable || tries >= CLAIMS) {
        throw new CliError(exitCode, code, `nothing was started: ${message}`, problems);
      }
    }
    await pause(CLAIM_AGAIN_MS);
  }
}
