/** The app as whoever attends a task needs it: the claim, the news, the end. */
import { setTimeout as pause } from 'node:timers/promises';
import type { DeskNews, EndAnswer, TaskDesk } from '../app/attend/index.ts';
import { MAX_SURVIVORS } from '../core/attended.ts';
import { type Client, segment } from './client.ts';
import { CliError, EXIT } from './exit.ts';
import { attendedNewsView, attendedView, understand } from './views.ts';

/** A claim whose answer was lost is made again: it is the same one. */
const CLAIMS = 3;
const CLAIM_AGAIN_MS = 1_000;

export function makeTaskDesk(client: (ended?: AbortSignal) => Client, taskId: string): TaskDesk {
  const path = (runId: string) => `/runs/${segment(runId)}/attend`;
  return {
    async claim(session, { pidNamespace, ...process }, { told, ended }) {
      const json = { session, ...process, pid_namespace: pidNamespace };
      const claim = () => client(ended).request('POST', `/tasks/${segment(taskId)}/attend`, { json });
      const answer = await persistently(claim, told);
      const { run_id: runId, grace_seconds: graceSeconds, env } = understand(attendedView, answer);
      return { runId, graceSeconds, env: ofStanddown(env) };
    },
    async news({ runId, session }, { isPatient, ended }) {
      const query = `session=${session}${isPatient ? '' : '&wait_seconds=0'}`;
      try {
        return understand(attendedNewsView, await client(ended).request('GET', `${path(runId)}?${query}`));
      } catch (error) {
        return newsOf(refusalIn(error));
      }
    },
    async end({ runId, session }, { exitCode, signal, survivors, killed, agoMs }) {
      const told = { exit_code: exitCode, signal, survivors: survivors.slice(0, MAX_SURVIVORS), killed };
      const json = { session, ...told, ended_seconds_ago: Math.max(0, agoMs / 1_000) };
      try {
        await client().request('POST', `${path(runId)}/end`, { json });
        return { result: 'taken' };
      } catch (error) {
        return endAnswerOf(refusalIn(error));
      }
    },
  };
}

/** Throws what is no answer of the app's. */
function refusalIn(error: unknown): CliError {
  if (error instanceof CliError && error.exitCode !== EXIT.unreachable) return error;
  throw error;
}

/** One that is unknown there, or somebody else's, is counted on by nobody. Anything else may be put right while the command runs. */
function newsOf({ code, message }: CliError): DeskNews {
  const isOver = code === 'not_found' || code === 'conflict';
  return { state: isOver ? 'over' : 'refused', signal: null, why: message };
}

const FINAL = ['not_found', 'conflict', 'bad_request'];

function endAnswerOf({ code, message }: CliError): EndAnswer {
  return { result: 'refused', why: message, isFinal: FINAL.includes(code) };
}

/** The command's environment is a person's own: nothing else is put there. */
function ofStanddown(env: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => /^STANDDOWN_[A-Z_]+$/.test(name)));
}

async function persistently(claim: () => Promise<unknown>, told: AbortSignal): Promise<unknown> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await claim();
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      const { exitCode, code, message, problems } = error;
      if (exitCode !== EXIT.unreachable || tries >= CLAIMS || told.aborted) {
        throw new CliError(exitCode, code, `nothing was started: ${message}`, problems);
      }
    }
    await pause(CLAIM_AGAIN_MS, undefined, { signal: told }).catch(() => {});
    if (told.aborted) throw new CliError(EXIT.interrupted, 'interrupted', 'nothing was started');
  }
}
