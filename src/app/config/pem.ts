/** Files in PEM, looked at before they are used: what OpenSSL says of them later names neither file nor option. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { ReadFile } from './env.ts';

/** null: `refuse` was told why. */
export function readPemFile(readFile: ReadFile, path: string, refuse: (message: string) => void): string | null {
  try {
    const text = readFile(path);
    if (text !== null) return text;
    refuse(`${JSON.stringify(path)} does not exist`);
  } catch (error) {
    refuse(`${JSON.stringify(path)} can't be read: ${(error as NodeJS.ErrnoException).code}`);
  }
  return null;
}

/** Whether it begins with one; more may follow. */
export function isCertificate(pem: string): boolean {
  return certificateIn(pem) !== null;
}

/** Whether it is a private key without a passphrase. */
export function isPrivateKey(pem: string): boolean {
  return privateKeyIn(pem) !== null;
}

export function belongTogether(pair: { cert: string; key: string }): boolean {
  const key = privateKeyIn(pair.key);
  return key !== null && (certificateIn(pair.cert)?.checkPrivateKey(key) ?? false);
}

function certificateIn(pem: string): X509Certificate | null {
  try {
    return new X509Certificate(pem);
  } catch {
    return null;
  }
}

function privateKeyIn(pem: string): ReturnType<typeof createPrivateKey> | null {
  try {
    return createPrivateKey(pem);
  } catch {
    return null;
  }
}
