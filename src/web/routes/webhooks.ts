/** Where GitHub delivers: reads the signed text whole and hands it on. Whether it is believed is decided behind. */
import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { mediaType, readText, wrongType } from '../body.ts';
import { HttpError } from '../errors.ts';
import type { ReceiveWebhook } from '../ports.ts';

/** GitHub's own cap for a payload: https://docs.github.com/webhooks/webhook-events-and-payloads#payload-cap */
const MAX_PAYLOAD_BYTES = 25 * 1024 * 1024;

export function webhookHandler(receive: ReceiveWebhook) {
  return async (c: Context) => {
    const delivery = {
      id: needHeader(c, 'x-github-delivery'),
      event: needHeader(c, 'x-github-event'),
      signature: needHeader(c, 'x-hub-signature-256'),
    };
    if (mediaType(c) !== 'application/json')
      throw wrongType(mediaType(c), "application/json (the webhook's content type)");
    const body = await readText(c, MAX_PAYLOAD_BYTES);
    const answer = await receive({ ...delivery, body });
    return c.json(answer.body, answer.status as ContentfulStatusCode);
  };
}

function needHeader(c: Context, name: string): string {
  const value = c.req.header(name);
  if (!value || value.length > 200) throw new HttpError('bad_request', `the header ${name} is missing or too long`);
  return value;
}
