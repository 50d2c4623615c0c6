/** The log: one line per fact, on stdout unless told otherwise. No line holds a secret, whoever wrote it. */
import { type DestinationStream, type Logger, pino } from 'pino';
import pretty from 'pino-pretty';
import type { LogConfig } from './config/index.ts';

const CENSORED = '[redacted]';
/** Fields that hold secrets by their name. */
const SECRET_FIELDS = ['authorization', 'token', 'secret', 'password', 'privateKey', 'webhookSecret', 'apiToken'];
/** Shorter ones would censor ordinary words. */
const MIN_SECRET = 6;
/** A key may be printed in part: each of its lines is a secret too. */
const MIN_KEY_LINE = 32;

export function makeLogger(
  config: LogConfig,
  secrets: readonly string[] = [],
  out: DestinationStream = stdout(),
): Logger {
  const censor = makeCensor(secrets);
  return pino(
    {
      level: config.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: SECRET_FIELDS.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]), censor: CENSORED },
      hooks: { streamWrite: censor },
    },
    config.format === 'pretty' ? pretty({ destination: out as NodeJS.WritableStream, colorize: false }) : out,
  );
}

/** Takes known secrets out of any text, e.g. an error message. */
function makeCensor(secrets: readonly string[]): (text: string) => string {
  const parts = secrets
    .flatMap((secret) => [secret, ...secret.split('\n').filter((line) => line.length >= MIN_KEY_LINE)])
    .filter((secret) => secret.length >= MIN_SECRET)
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]);
  const longestFirst = [...new Set(parts)].sort((a, b) => b.length - a.length);
  return (text) => longestFirst.reduce((censored, part) => censored.replaceAll(part, CENSORED), text);
}

function stdout(): DestinationStream {
  return process.stdout;
}
