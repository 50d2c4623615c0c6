/** Keys of the operator's file that are checked, but that nothing acts on yet: who sets one has to be told. */
import { asMapping } from './check.ts';

const NOT_ENFORCED: readonly (readonly [string, ...string[]])[] = [];

/** Those that the file has, as `limits.mass_stop`. */
export function notEnforced(value: unknown): readonly string[] {
  const file = asMapping(value) ?? {};
  return NOT_ENFORCED.flatMap(([section, ...keys]) => {
    const given = asMapping(file[section]) ?? {};
    return keys.filter((key) => Object.hasOwn(given, key)).map((key) => `${section}.${key}`);
  });
}
