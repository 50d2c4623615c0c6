export { makeWebApp, WEBHOOK_PATH } from './app.ts';
export type {
  Actions,
  Health,
  HoldRequest,
  Insights,
  Reads,
  ReceiveWebhook,
  WebDeps,
} from './ports.ts';
export { type HttpServer, serveHttp } from './server.ts';
