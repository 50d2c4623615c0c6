/** For development behind a firewall: webhooks come through a smee channel and are posted to the app's own door. */
import { setTimeout as delay } from 'node:timers/promises';
import { SmeeClient } from 'smee-client';
import { type Logger, StartRefused } from '../engine/ports.ts';

export interface WebhookProxy {
  close(): Promise<void>;
}

const CONNECT_MS = 10_000;

/**
 * `source` is the channel (`WEBHOOK_PROXY_URL`), `target` the app's webhook URL. Signatures are checked there as ever. Throws `StartRefused`
 * where the channel does not answer within `connectMs` (10 s); one that breaks off later is connected to again.
 */
export async function startWebhookProxy(options: {
  source: string;
  target: string;
  log: Logger;
  connectMs?: number;
}): Promise<WebhookProxy> {
  const { source, target, log, connectMs = CONNECT_MS } = options;
  const logger = {
    info: (message: unknown) => log.debug({ detail: String(message) }, 'webhook proxy'),
    error: (message: unknown) => log.warn({ detail: String(message) }, 'webhook proxy'),
  };
  const smee = new SmeeClient({ source, target, logger });
  const connected = smee.start().then(
    () => true,
    () => false,
  );
  if (!(await Promise.race([connected, delay(connectMs, false, { ref: false })]))) {
    await smee.stop();
    // Whoever knows the channel reads along: it is not named.
    throw new StartRefused('WEBHOOK_PROXY_URL: the channel gives no answer that webhooks could come by');
  }
  log.info({ source, target }, 'webhooks come through a proxy');
  return { close: () => smee.stop() };
}
