/** The key pair by which an app proves who it is. */
import { generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import type { KeyPair } from '../options.ts';

/** As GitHub makes them for an app: RSA, 2,048 bits. */
export async function makeKeyPair(): Promise<KeyPair> {
  return promisify(generateKeyPair)('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
}
