/** Ids that sort by their time of birth and can be said aloud: `task_` and 18 characters without I, L, O and U. */
import { randomBytes } from 'node:crypto';
import type { Clock, NewId } from '../engine/ports.ts';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const TIME_CHARS = 10;
const RANDOM_CHARS = 8;

export function makeNewId(now: Clock): NewId {
  return (prefix) => `${prefix}_${timePart(now().getTime())}${randomPart()}`;
}

/** Milliseconds since 1970 in base 32, most significant first: good for 35,000 years. */
function timePart(ms: number): string {
  let rest = ms;
  let text = '';
  for (let index = 0; index < TIME_CHARS; index++) {
    text = ALPHABET.charAt(rest % 32) + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}

function randomPart(): string {
  return Array.from(randomBytes(RANDOM_CHARS), (byte) => ALPHABET.charAt(byte % 32)).join('');
}
