/** Verifies the app's own token (RS256) with GitHub's rules and in GitHub's words, on which clients rely to mend their clock. */
import { verify } from 'node:crypto';
import type { Site } from '../site.ts';
import type { App } from '../state/types.ts';

const LONGEST_LIFE_SECONDS = 600;

/** null: valid; otherwise what GitHub says of it. */
export function findJwtProblem(token: string, site: Site): string | null {
  const [header = '', claims = '', signature = ''] = token.split('.');
  const { alg } = parsePart(header);
  const signed = Buffer.from(`${header}.${claims}`);
  if (alg !== 'RS256' || !verify('RSA-SHA256', signed, site.publicKey, Buffer.from(signature, 'base64url'))) {
    return 'A JSON web token could not be decoded';
  }
  return findClaimProblem(parsePart(claims), site.app, site.now() / 1000);
}

function findClaimProblem(claims: Record<string, unknown>, app: App, now: number): string | null {
  const { iss, iat, exp } = claims;
  if (String(iss) !== String(app.id) && iss !== app.clientId) {
    return "'Issuer' claim ('iss') must be an Integer or the client ID of the app";
  }
  if (!isWhole(iat) || iat > now + 60) {
    return "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued";
  }
  if (!isWhole(exp) || exp <= now) {
    return "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires";
  }
  if (exp - iat > LONGEST_LIFE_SECONDS || exp - now > LONGEST_LIFE_SECONDS) {
    return "'Expiration time' claim ('exp') is too far in the future";
  }
  return null;
}

function isWhole(value: unknown): value is number {
  return Number.isInteger(value);
}

function parsePart(part: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
