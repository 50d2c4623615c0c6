/**
 * How a stand-in can be held against a description of the real GitHub, while it is used: what its clients ask, what it
 * answers and what it sends. Each function returns the problems it finds, and never throws.
 */

export interface SeenRequest {
  method: string;
  /** The operation's path as described: `/repos/{owner}/{repo}/issues/{issue_number}`. */
  operation: string;
  params: Readonly<Record<string, string>>;
  query: URLSearchParams;
  /** undefined: no body. */
  body: unknown;
}

export interface SeenAnswer {
  method: string;
  operation: string;
  status: number;
  body: unknown;
}

export interface SeenWebhook {
  event: string;
  action: string | null;
  payload: unknown;
}

export interface Check {
  request: (seen: SeenRequest) => string[];
  answer: (seen: SeenAnswer) => string[];
  webhook: (seen: SeenWebhook) => string[];
}

export interface Violation {
  /** What was being done: `POST /repos/acme/widgets/issues/1/comments`, `webhook issues.closed`. */
  where: string;
  problem: string;
}

export const checkNothing: Check = { request: () => [], answer: () => [], webhook: () => [] };
