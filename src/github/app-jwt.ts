/**
 * The App's own token (RS256), by GitHub's clock. Octokit's signer takes the host's, and GitHub refuses every token request of
 * a host that is half a minute ahead.
 */
import { createPrivateKey, sign } from 'node:crypto';

/** GitHub allows ten minutes from its present; half a minute is kept off both ends for what the clocks still differ. */
const BACKDATED_SECONDS = 30;
const LIFETIME_SECONDS = 600;

export interface SignedJwt {
  jwt: string;
  expiresAt: string;
}

export type SignJwt = (githubNow: Date) => SignedJwt;

/** Throws where the key can't be read. `appId`: the App's id or its client id. */
export function makeSignJwt(appId: number | string, privateKey: string): SignJwt {
  const key = createPrivateKey(privateKey.replaceAll('\\n', '\n'));
  const iss = /^\d+$/.test(String(appId)) ? Number(appId) : appId;

  return (githubNow) => {
    const iat = Math.floor(githubNow.getTime() / 1000) - BACKDATED_SECONDS;
    const exp = iat + LIFETIME_SECONDS;
    const content = `${encode({ alg: 'RS256', typ: 'JWT' })}.${encode({ iat, exp, iss })}`;
    const signature = sign('RSA-SHA256', Buffer.from(content), key).toString('base64url');
    return { jwt: `${content}.${signature}`, expiresAt: new Date(exp * 1000).toISOString() };
  };
}

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}
