/** Speaks REST to the app, and says what went wrong by the exit code that it means. */
import { z } from 'zod';
import { CliError, EXIT, type ExitCode } from './exit.ts';

const TIMEOUT_MS = 30_000;

export interface Client {
  request(method: string, path: string, options?: RequestOptions): Promise<unknown>;
  text(path: string): Promise<string>;
  /** What `/readyz` says, also where it says that the app is not ready. */
  readiness(): Promise<unknown>;
}

export interface RequestOptions {
  /** Sent as JSON. */
  json?: object;
  /** Sent as it is. */
  document?: { text: string; type: string };
}

/** `ended` ends its requests. */
export function makeClient(app: { url: string; apiToken: string | null }, ended?: AbortSignal): Client {
  const exchange = async (method: string, path: string, options: RequestOptions = {}) => {
    const body = options.document?.text ?? (options.json === undefined ? undefined : JSON.stringify(options.json));
    const type = options.document?.type ?? 'application/json';
    const response = await fetch(`${app.url}${path}`, {
      method,
      headers: {
        ...(app.apiToken !== null && { authorization: `Bearer ${app.apiToken}` }),
        ...(body !== undefined && { 'content-type': type }),
      },
      ...(body !== undefined && { body }),
      // The token is for the app alone.
      redirect: 'error',
      signal: AbortSignal.any([AbortSignal.timeout(TIMEOUT_MS), ...(ended === undefined ? [] : [ended])]),
    }).catch((error: unknown) => {
      throw unreachable(app.url, reasonOf(error));
    });
    const text = await response.text().catch((error: unknown) => {
      throw unreachable(app.url, reasonOf(error));
    });
    return { status: response.status, text };
  };
  const send = async (method: string, path: string, options?: RequestOptions) => {
    const { status, text } = await exchange(method, `/api/v1${path}`, options);
    if (status < 200 || status > 299) throw refusal(app.url, status, text);
    return text;
  };
  return {
    readiness: async () => {
      const { status, text } = await exchange('GET', '/readyz');
      if (status !== 200 && status !== 503) throw refusal(app.url, status, text);
      return parseAnswer(app.url, text);
    },
    text: (path) => send('GET', path),
    request: async (method, path, options) => parseAnswer(app.url, await send(method, path, options)),
  };
}

/** An id from the command line as one segment of a path. An empty one, as of a variable that is not set, would name another path. */
export function segment(id: string): string {
  if (id.trim() === '') throw new CliError(EXIT.usage, 'usage', `an id is needed, not ${JSON.stringify(id)}`);
  return encodeURIComponent(id);
}

const errorBody = z.object({
  error: z.object({
    code: z.string(),
    message: z.string(),
    problems: z
      .array(
        z.object({
          path: z.string(),
          message: z.string(),
          line: z.number().exactOptional(),
          column: z.number().exactOptional(),
        }),
      )
      .optional(),
  }),
});

function refusal(url: string, status: number, text: string): CliError {
  const parsed = errorBody.safeParse(tryJson(text));
  if (!parsed.success) return unreachable(url, `it answered ${status}, but not as Standdown does`);
  const { code, message, problems } = parsed.data.error;
  const hint = status === 401 ? ' (the CLI takes it from STANDDOWN_API_TOKEN)' : '';
  return new CliError(exitCodeOf(status), code, `${message}${hint}`, problems ?? []);
}

function exitCodeOf(status: number): ExitCode {
  if (status >= 500) return EXIT.unreachable;
  return status === 400 ? EXIT.usage : EXIT.refused;
}

function parseAnswer(url: string, text: string): unknown {
  const value = tryJson(text);
  if (value === undefined) throw unreachable(url, 'its answer is not JSON');
  return value;
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function unreachable(url: string, reason: string): CliError {
  return new CliError(
    EXIT.unreachable,
    'unreachable',
    `can't reach the app at ${url}: ${reason} (STANDDOWN_URL says where it is)`,
  );
}

/** fetch hides the reason in the cause of its error. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = (cause as { code?: unknown }).code;
  if (code === 'UND_ERR_SOCKET') return 'it closed the connection';
  if (typeof code === 'string') return code;
  return cause instanceof Error ? cause.message : String(cause);
}
