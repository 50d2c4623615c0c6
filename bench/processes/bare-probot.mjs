// The yardstick: Probot with an empty handler, and nothing else.
import { createServer } from 'node:http';
import { createNodeMiddleware, Probot } from 'probot';
import { answerParent } from './answer-parent.mjs';

const { APP_ID, PRIVATE_KEY, WEBHOOK_SECRET, WEBHOOK_PATH } = process.env;

const probot = new Probot({ appId: APP_ID, privateKey: PRIVATE_KEY, secret: WEBHOOK_SECRET });
const middleware = await createNodeMiddleware((app) => app.on('issues.closed', async () => {}), {
  probot,
  webhooksPath: WEBHOOK_PATH,
});
const server = createServer((request, response) => middleware(request, response, () => response.writeHead(404).end()));
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));

answerParent(`http://127.0.0.1:${server.address().port}`, { close: () => server.closeAllConnections() });
