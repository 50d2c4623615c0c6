/** For development behind a firewall: webhooks come through a smee channel and are posted to the app's own door. */
import { SmeeClient } from 'smee-client';
import type { Logger } from '../engine/ports.ts';

export interface WebhookProxy {
  close(): Promise<void>;
}

/** `source` is the channel (`WEBHOOK_PROXY_URL`), `target` the app's webhook URL. Signatures are checked there as ever. */
export async function startWebhookProxy(options: {
  source: string;
  target: string;
  log: Logger;
}): Promise<WebhookProxy> {
  const { source, target, log } = options;
  const logger = {
    info: (message: unknown) => log.debug({ detail: String(message) }, 'webhook proxy'),
    error: (message: unknown) => log.warn({ detail: String(message) }, 'webhook proxy'),
  };
  const smee = new SmeeClient({ source, target, logger });
  await smee.start();
  log.info({ source, target }, 'webhooks come through a proxy');
  return { close: () => smee.stop() };
}
