/**
 * A webhook, the app's or a repository's: every change becomes a delivery, and how deliveries travel can be controlled: sent at once (as GitHub
 * does: concurrently, in no promised order), held and released in any order, lost, doubled, sent again.
 * It knows nothing of what payloads say.
 */
import { randomUUID } from 'node:crypto';
import { post, type Receipt, sign } from './post.ts';

export interface Message {
  event: string;
  action: string | null;
  payload: Record<string, unknown>;
  installationId: number | null;
  repositoryId: number | null;
}

/**
 * - `inactive`: nobody is to hear of it (no address, not subscribed, not installed there).
 * - `held` and `sending`: on its way.
 * - `delivered` (2xx) and `failed` (any other answer, none, or lost): over.
 */
type DeliveryState = 'inactive' | 'held' | 'sending' | 'delivered' | 'failed';

export interface Delivery extends Message, Receipt {
  id: number;
  /** Shared by all deliveries of the same event, as `X-GitHub-Delivery`. */
  guid: string;
  redelivery: boolean;
  state: DeliveryState;
  /** Epoch milliseconds. */
  at: number;
  headers: Record<string, string>;
  /** The bytes that are signed and sent. */
  body: string;
}

export interface Hook {
  readonly id: number;
  url: () => string | null;
  /** Sets the receiver's address; null: deliver nothing. */
  to: (url: string | null) => void;
  emit: (message: Message, active: boolean) => Delivery;
  /** From now on deliveries wait for `release`. */
  hold: () => void;
  /**
   * Sends what is held, one after the other in the order that `arrange` gives (default: as they happened), and stops
   * holding. What `arrange` leaves out stays held. `together` sends all at once.
   */
  release: (arrange?: (held: Delivery[]) => Delivery[], options?: { together?: boolean }) => Promise<void>;
  /** Loses the next `which` deliveries, or all that it matches until `loseNone`: GitHub records them as failed. */
  lose: (which?: number | ((delivery: Delivery) => boolean)) => void;
  loseNone: () => void;
  /** Sends the next `count` deliveries twice, with the same GUID. */
  duplicate: (count?: number) => void;
  /** Sends the same bytes again under the same GUID, as the button and the API do. */
  redeliver: (guid: string) => Promise<Delivery>;
  /** Resolves when nothing is on its way (what is held waits elsewhere). */
  settled: () => Promise<void>;
  /** Gives up what is on its way, and everything after it. */
  end: () => Promise<void>;
  /** Oldest first, without the inactive ones. */
  deliveries: () => readonly Delivery[];
}

export interface HookOptions {
  id: number;
  /** Whose hook it is. */
  target: { id: number; type: 'integration' | 'repository' };
  secret: string;
  now: () => number;
  takeId: () => number;
  /** Sees every message that its owner would hear of, with an address or without. */
  onMessage: (message: Message) => void;
}

const NO_RECEIPT: Receipt = {
  statusCode: 0,
  status: 'pending',
  durationSeconds: 0,
  responseHeaders: {},
  responseBody: null,
};

export function makeHook(options: HookOptions): Hook {
  const recorded: Delivery[] = [];
  const sending = new Set<Promise<void>>();
  const ending = new AbortController();
  let url: string | null = null;
  let holding = false;
  let losesNext = 0;
  let losesAll: (delivery: Delivery) => boolean = () => false;
  let doublesNext = 0;

  function record(message: Message, guid: string, redelivery: boolean): Delivery {
    const body = JSON.stringify(message.payload);
    return {
      ...message,
      ...NO_RECEIPT,
      id: options.takeId(),
      guid,
      redelivery,
      state: 'inactive',
      at: options.now(),
      headers: headersOf(options, message.event, guid, body),
      body,
    };
  }

  function isLost(delivery: Delivery): boolean {
    if (losesNext > 0) {
      losesNext -= 1;
      return true;
    }
    return losesAll(delivery);
  }

  async function transmit(delivery: Delivery, address: string | null): Promise<void> {
    delivery.state = 'sending';
    const lost = address === null || isLost(delivery);
    const receipt = lost
      ? { ...NO_RECEIPT, status: 'failed to connect to host' }
      : await post(address, delivery, ending.signal);
    Object.assign(delivery, receipt, { state: receipt.status === 'OK' ? 'delivered' : 'failed' });
  }

  function dispatch(delivery: Delivery): Promise<void> {
    const sent = transmit(delivery, url).finally(() => sending.delete(sent));
    sending.add(sent);
    return sent;
  }

  function start(delivery: Delivery): void {
    recorded.push(delivery);
    if (holding) delivery.state = 'held';
    else void dispatch(delivery);
  }

  function emit(message: Message, active: boolean): Delivery {
    if (active) options.onMessage(message);
    const delivery = record(message, randomUUID(), false);
    if (!active || url === null) return delivery;
    start(delivery);
    if (doublesNext > 0) {
      doublesNext -= 1;
      start(record(message, delivery.guid, false));
    }
    return delivery;
  }

  async function release(
    arrange: (held: Delivery[]) => Delivery[] = (held) => held,
    { together = false }: { together?: boolean } = {},
  ): Promise<void> {
    holding = false;
    const chosen = arrange(recorded.filter((delivery) => delivery.state === 'held'));
    if (together) await Promise.all(chosen.map(dispatch));
    else for (const delivery of chosen) await dispatch(delivery);
  }

  async function redeliver(guid: string): Promise<Delivery> {
    const original = recorded.find((delivery) => delivery.guid === guid);
    if (original === undefined) throw new Error(`no delivery has the GUID ${guid}`);
    const again = record(original, guid, true);
    recorded.push(again);
    await dispatch(again);
    return again;
  }

  async function settled(): Promise<void> {
    while (sending.size > 0) await Promise.all(sending);
  }

  return {
    id: options.id,
    url: () => url,
    to: (address) => {
      url = address === null ? null : new URL(address).href;
    },
    emit,
    hold: () => {
      holding = true;
    },
    release,
    lose: (which = 1) => {
      if (typeof which === 'number') losesNext = which;
      else losesAll = which;
    },
    loseNone: () => {
      losesNext = 0;
      losesAll = () => false;
    },
    duplicate: (count = 1) => {
      doublesNext = count;
    },
    redeliver,
    settled,
    end: () => {
      ending.abort();
      return settled();
    },
    deliveries: () => recorded,
  };
}

function headersOf(options: HookOptions, event: string, guid: string, body: string): Record<string, string> {
  return {
    accept: '*/*',
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    'user-agent': 'GitHub-Hookshot/57a4d01',
    'x-github-delivery': guid,
    'x-github-event': event,
    'x-github-hook-id': String(options.id),
    'x-github-hook-installation-target-id': String(options.target.id),
    'x-github-hook-installation-target-type': options.target.type,
    'x-hub-signature-256': sign(options.secret, body),
  };
}
