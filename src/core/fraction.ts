/** A share that belongs to an id: what came together is spread by it, and always in the same way. */

/** From 0 up to 1, evenly spread over ids (FNV-1a). */
export function fractionOf(id: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < id.length; at++) hash = Math.imul(hash ^ id.charCodeAt(at), 0x01000193);
  // What was added last has moved the lower bits only.
  hash = Math.imul(hash ^ (hash >>> 16), 0x45d9f3b);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
