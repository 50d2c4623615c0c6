/** What an agent takes from its command line and its environment, and what it refuses before it listens. */
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type AgentFlags, readAgentConfig } from '../../../src/app/agent/config.ts';
import { ConfigError } from '../../../src/app/config/index.ts';
import { makeCertificate } from '../../support/certificate.ts';

const TOKEN = 'a-token-of-an-agent';
const flags = { listen: '127.0.0.1:7433', dataDir: 'runs' };
const { cert, key } = makeCertificate();
const files: Record<string, string> = { 'cert.pem': cert, 'key.pem': key, 'other.pem': makeCertificate().key };
const tls = { tlsCert: 'cert.pem', tlsKey: 'key.pem' };

function read(more: Partial<AgentFlags> = {}, env: Record<string, string> = { STANDDOWN_AGENT_TOKEN: TOKEN }) {
  return readAgentConfig({ ...flags, ...more }, env, (path) => files[path] ?? null);
}

function problemsOf(...given: Parameters<typeof read>): string[] {
  try {
    read(...given);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map(({ key, message }) => `${key}: ${message}`);
  }
}

describe('an agent', () => {
  it('needs a directory and a token, and listens to its own machine', () => {
    expect(read()).toEqual({
      ...{ host: '127.0.0.1', port: 7433, dataDir: resolve('runs'), token: TOKEN },
      ...{ root: null, user: null, passEnv: [], tls: null, log: { level: 'info', format: 'json' } },
    });
  });

  it.each(['[::1]:7433', 'localhost:0', '127.8.9.10:80'])('speaks plain HTTP on %s', (listen) => {
    expect(read({ listen })).toMatchObject({ tls: null });
  });

  it.each(['0.0.0.0:7433', '[::]:7433', 'lab-3:7433', '192.168.1.5:7433', 'localhost.example:7433'])(
    'listens on %s with a certificate only',
    (listen) => {
      expect(problemsOf({ listen })).toEqual([expect.stringMatching(/^--listen: .* give --tls-cert and --tls-key$/)]);
      expect(read({ listen, ...tls }).tls).toEqual({ cert, key });
    },
  );

  it('tells all problems at once, and shows no token', () => {
    const wrong = {
      listen: 'nowhere',
      tlsCert: 'cert.pem',
      root: 'srv',
      passEnv: ['HF_TOKEN', 'STANDDOWN_AGENT_TOKEN', 'a b'],
    };
    expect(problemsOf(wrong, { STANDDOWN_AGENT_TOKEN: 'short', LOG_LEVEL: 'loud' })).toEqual([
      '--listen: must be host:port, as 127.0.0.1:7433 or [::1]:7433, not "nowhere"',
      '--tls-key: is missing: a certificate and its key belong together',
      'STANDDOWN_AGENT_TOKEN: must have at least 16 characters: whoever guesses it can run programs here',
      '--root: must be an absolute path, not "srv"',
      "--pass-env: STANDDOWN_AGENT_TOKEN is Standdown's own and is passed to nobody",
      '--pass-env: must be names of variables, not "a b"',
      'LOG_LEVEL: must be one of trace, debug, info, warn, error, fatal, silent, not "loud"',
    ]);
    expect(problemsOf({ tlsCert: 'gone.pem', tlsKey: 'key.pem' }, {})).toEqual([
      '--tls-cert: "gone.pem" does not exist',
      expect.stringMatching(/^STANDDOWN_AGENT_TOKEN: is missing/),
    ]);
  });

  it.each([
    [{ tlsCert: 'key.pem', tlsKey: 'key.pem' }, '--tls-cert: "key.pem" must hold a certificate in PEM'],
    [
      { tlsCert: 'cert.pem', tlsKey: 'cert.pem' },
      '--tls-key: "cert.pem" must hold a private key in PEM, without a passphrase',
    ],
    [
      { tlsCert: 'cert.pem', tlsKey: 'other.pem' },
      '--tls-key: "other.pem" must hold the key of the certificate in "cert.pem", and holds another one',
    ],
  ])('names the file that is no part of a certificate with its key: %j', (given, problem) => {
    expect(problemsOf(given)).toEqual([problem]);
  });
});
