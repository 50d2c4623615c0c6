// Posts a delivery as GitHub does and takes the time until the whole answer is here. The connection is kept, which makes it
// harder for whoever is slower than bare Probot: connecting costs both the same.
import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { now } from '../processes/answer-parent.mjs';

export function makeAgent() {
  return new Agent({ keepAlive: true });
}

/**
 * A connection that the server closed meanwhile, because it was idle for long, is replaced.
 * @param {{ url: string, headers: object, body: string }} delivery
 * @returns {Promise<{ guid: string, sentAt: number, ms: number }>} throws where the answer is no 2xx
 */
export async function post(agent, delivery) {
  try {
    return await send(agent, delivery);
  } catch (error) {
    if (error.code !== 'ECONNRESET') throw error;
    return send(agent, delivery);
  }
}

function send(agent, { url, headers, body }) {
  const guid = randomUUID();
  return new Promise((resolve, reject) => {
    const sentAt = now();
    const outgoing = request(url, { method: 'POST', agent, headers: { ...headers, 'x-github-delivery': guid } });
    outgoing.on('error', reject);
    outgoing.on('response', (response) => {
      response.resume();
      response.on('error', reject);
      response.on('end', () => {
        const ms = now() - sentAt;
        if (response.statusCode >= 200 && response.statusCode < 300) resolve({ guid, sentAt, ms });
        else reject(new Error(`${url} answered ${response.statusCode}`));
      });
    });
    outgoing.end(body);
  });
}
