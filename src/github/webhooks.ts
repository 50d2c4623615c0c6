/**
 * Receives deliveries: checked, stored, answered. Probot checks the signature and hands the event on; what a delivery means
 * is read later from the inbox, so nothing here waits for GitHub or for work.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { type Options, Probot, ProbotOctokit } from 'probot';
import type { Clock, Delivery, Inbox, Logger } from '../engine/ports.ts';

export interface WebhookRequest {
  /** `X-GitHub-Delivery`, `X-GitHub-Event` and `X-Hub-Signature-256`, where they came. */
  id: string | undefined;
  event: string | undefined;
  signature: string | undefined;
  /** As it came over the wire: the signature is about these bytes. */
  body: Buffer | string;
}

/** 202 stored, 200 known already; anything else was not stored, and 5xx makes GitHub keep the delivery as failed. */
export interface WebhookAnswer {
  status: 200 | 202 | 400 | 401 | 413 | 503 | 500;
  body: string;
}

export interface WebhookReceiver {
  receive(request: WebhookRequest): Promise<WebhookAnswer>;
}

export interface WebhookReceiverOptions {
  /** Probot's own: `appId` and `privateKey` or `githubToken`, `secret`, `log`, `baseUrl`. */
  probot: Options & { secret: string };
  inbox: Pick<Inbox, 'insert'>;
  now: Clock;
  log: Logger;
  /** How long storing may take before the answer is 503; default 5,000. */
  deadlineMs?: number;
}

/** GitHub sends no more. */
export const MAX_DELIVERY_BYTES = 25 * 1024 * 1024;

/** `error` and the names of Object's own properties are no events to Octokit's dispatcher. */
const EVENT_NAME = /^(?!error$|constructor$)[a-z][a-z_]{0,99}$/;
const DELIVERY_ID = /^[\w-]{1,100}$/;

/** Throws where the secret is missing: Probot would then accept what is signed with `development`. */
export async function makeWebhookReceiver(options: WebhookReceiverOptions): Promise<WebhookReceiver> {
  if (!options.probot.secret) throw new Error('A webhook secret is needed to receive deliveries');
  const { inbox, log, deadlineMs = 5000 } = options;
  const probot = await new Probot({ Octokit: unpaced(), ...options.probot }).ready();
  // Probot's handlers see the parsed payload and return nothing, so the delivery and its result travel beside it.
  const passing = new AsyncLocalStorage<Passage>();

  probot.onAny(async () => {
    const passage = passing.getStore();
    if (passage) passage.result = await insert(passage.delivery);
  });

  /** Nothing is thrown into Probot: its error handler would log the whole payload. */
  async function insert(delivery: Delivery): Promise<Passage['result']> {
    try {
      return await inbox.insert(delivery);
    } catch (err) {
      log.error({ delivery: delivery.id, event: delivery.event, err }, 'The inbox refused a delivery');
      return 'failed';
    }
  }

  async function store(delivery: Delivery, payload: object): Promise<WebhookAnswer> {
    const passage: Passage = { delivery, result: 'lost' };
    const event = { id: delivery.id, name: delivery.event, payload };
    await passing.run(passage, () => probot.webhooks.receive(event as never));
    return ANSWERS[passage.result];
  }

  async function receive(request: WebhookRequest): Promise<WebhookAnswer> {
    const { id = '', event = '', signature = '' } = request;
    const fields = { delivery: id.slice(0, 100), event: event.slice(0, 100) };
    if (Buffer.byteLength(request.body) > MAX_DELIVERY_BYTES) return ANSWERS.tooLarge;
    if (!DELIVERY_ID.test(id) || !EVENT_NAME.test(event) || signature === '') return ANSWERS.badHeaders;
    const body = request.body.toString('utf8');
    if (body === '') return ANSWERS.noObject;
    if (!(await probot.webhooks.verify(body, signature))) {
      log.warn(fields, 'Delivery with a wrong signature refused');
      return ANSWERS.badSignature;
    }
    const payload = objectOf(body);
    if (payload === null) return ANSWERS.noObject;
    const delivery = { id, event, payload: body, receivedAt: options.now() };
    const answer = await within(deadlineMs, store(delivery, payload));
    if (answer.status >= 500) log.error({ ...fields, status: answer.status }, 'Delivery not stored');
    return answer;
  }

  return { receive };
}

interface Passage {
  delivery: Delivery;
  result: 'stored' | 'duplicate' | 'failed' | 'lost';
}

type OctokitOptions = NonNullable<ConstructorParameters<typeof ProbotOctokit>[0]>;

/** Probot makes an Octokit for each event; ours has nothing to pace or to try again. */
function unpaced(): typeof ProbotOctokit {
  return ProbotOctokit.defaults((options: OctokitOptions) => ({
    ...options,
    throttle: { ...options.throttle, enabled: false },
    retry: { enabled: false },
  }));
}

const ANSWERS = {
  stored: { status: 202, body: 'stored' },
  duplicate: { status: 200, body: 'known already' },
  badHeaders: { status: 400, body: 'X-GitHub-Delivery, X-GitHub-Event or X-Hub-Signature-256 is missing or malformed' },
  noObject: { status: 400, body: 'the body is no JSON object' },
  badSignature: { status: 401, body: 'the signature does not match' },
  tooLarge: { status: 413, body: 'larger than 25 MB' },
  lost: { status: 500, body: 'not stored' },
  failed: { status: 503, body: 'the delivery could not be stored' },
  late: { status: 503, body: 'storing the delivery takes too long' },
} as const satisfies Record<string, WebhookAnswer>;

/** A store that answers later keeps the delivery all the same; sent again, it is a duplicate. */
async function within(ms: number, storing: Promise<WebhookAnswer>): Promise<WebhookAnswer> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<WebhookAnswer>((resolve) => {
    timer = setTimeout(resolve, ms, ANSWERS.late);
  });
  try {
    return await Promise.race([storing, deadline]);
  } finally {
    clearTimeout(timer);
  }
}

function objectOf(body: string): object | null {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}
