/** What a route gives back, and how GitHub words its refusals. */

export interface Answer {
  status: number;
  /** undefined: no content. */
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
}

/** Ends a request with a refusal, from wherever it is noticed. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly answer: Answer;

  constructor(status: number, message: string, more: { body?: object; headers?: Record<string, string> } = {}) {
    super(message);
    const body = { message, documentation_url: 'https://docs.github.com/rest', status: String(status), ...more.body };
    this.answer = { status, body, ...(more.headers ? { headers: more.headers } : {}) };
  }
}

export function notFound(): Refusal {
  return new Refusal(404, 'Not Found');
}

export function badCredentials(): Refusal {
  return new Refusal(401, 'Bad credentials');
}

export interface FieldError {
  resource: string;
  field: string;
  code: string;
  message?: string;
}

export function validationFailed(error: FieldError): Refusal {
  return new Refusal(422, 'Validation Failed', { body: { errors: [error] } });
}

export function ok(body: unknown): Answer {
  return { status: 200, body };
}

export function created(body: unknown, url?: string): Answer {
  return { status: 201, body, ...(url ? { headers: { location: url } } : {}) };
}

export function noContent(): Answer {
  return { status: 204 };
}
