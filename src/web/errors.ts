/** Every error that the web answers, by its stable code. Handlers throw `HttpError`; one place turns it into JSON. */
import type { Problem } from '../core/documents/index.ts';

const STATUS = {
  bad_request: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  issue_closed: 409,
  body_too_large: 413,
  unsupported_media_type: 415,
  invalid_document: 422,
  internal: 500,
  unavailable: 503,
} as const;

export type ErrorCode = keyof typeof STATUS;
export const ERROR_CODES = Object.keys(STATUS) as ErrorCode[];

export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly code: ErrorCode;
  readonly problems: readonly Problem[] | undefined;
  /** The live batch that is in the way. */
  readonly batchId: string | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ErrorCode,
    message: string,
    detail: { problems?: readonly Problem[]; batchId?: string; headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(message);
    this.code = code;
    this.problems = detail.problems;
    this.batchId = detail.batchId;
    this.headers = detail.headers ?? {};
  }
}

export function errorResponse(error: HttpError): Response {
  const { code, message, problems, batchId } = error;
  return Response.json(
    { error: { code, message, ...(problems && { problems }), ...(batchId && { batch_id: batchId }) } },
    { status: STATUS[code], headers: error.headers },
  );
}

export function conflict(why: { message: string; code?: 'issue_closed'; batchId?: string }): HttpError {
  const { message, code = 'conflict', batchId } = why;
  return new HttpError(code, message, batchId === undefined ? {} : { batchId });
}
