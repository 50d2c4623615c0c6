/** A certificate for 127.0.0.1 that is its own authority, made here so that tests need no program for it. */
import { generateKeyPairSync, sign } from 'node:crypto';

const DAY_MS = 86_400_000;

const ECDSA_SHA256 = der(0x30, oid('2a8648ce3d040302'));
const NAME = der(0x30, der(0x31, der(0x30, oid('550403'), der(0x0c, Buffer.from('lab')))));

/** PEM. */
export function makeCertificate(): { cert: string; key: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const validity = der(0x30, time(-DAY_MS), time(DAY_MS));
  const isAuthority = der(0x30, oid('551d13'), der(0x04, der(0x30, der(0x01, Buffer.from([0xff])))));
  const isLoopback = der(0x30, oid('551d11'), der(0x04, der(0x30, der(0x87, Buffer.from([127, 0, 0, 1])))));
  const toBeSigned = der(
    0x30,
    ...[der(0xa0, der(0x02, Buffer.from([2]))), der(0x02, Buffer.from([1])), ECDSA_SHA256, NAME, validity, NAME],
    ...[publicKey.export({ type: 'spki', format: 'der' }), der(0xa3, der(0x30, isAuthority, isLoopback))],
  );
  const signature = der(0x03, Buffer.from([0]), sign('sha256', toBeSigned, privateKey));
  const body = der(0x30, toBeSigned, ECDSA_SHA256, signature).toString('base64').replace(/.{64}/g, '$&\n');
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${body}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function oid(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, 'hex'));
}

function time(fromNowMs: number): Buffer {
  const digits = new Date(Date.now() + fromNowMs).toISOString().replaceAll(/[-:T]/g, '').slice(2, 14);
  return der(0x17, Buffer.from(`${digits}Z`));
}
