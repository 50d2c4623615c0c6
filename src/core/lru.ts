/** A map that forgets what was used least recently. */
export interface Lru<V> {
  get(key: string): V | undefined;
  set(key: string, value: V): void;
}

export function makeLru<V>(size: number): Lru<V> {
  // A Map iterates in the order of insertion, so the first key is the one to forget.
  const entries = new Map<string, V>();

  function set(key: string, value: V): void {
    entries.delete(key);
    entries.set(key, value);
    const [oldest] = entries.keys();
    if (entries.size > size && oldest !== undefined) entries.delete(oldest);
  }

  function get(key: string): V | undefined {
    const value = entries.get(key);
    if (value !== undefined) set(key, value);
    return value;
  }

  return { get, set };
}
