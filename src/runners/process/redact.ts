/**
 * Keeps the values of what `pass_env` names out of a run's output, wherever it is shown. Against what a program says by accident:
 * whoever chooses the program can write them in another form.
 */
import type { EnvironmentSource } from './environment.ts';

const REDACTED = '[redacted]';

/** Shorter values are no secrets (`0`, `true`, `cuda`), and would be found in many words. */
const MIN_BYTES = 6;

/** As bytes, one character for each. */
export type Secrets = readonly string[];

/** Of several lines each counts by itself, too: programs indent them, or end them otherwise. */
export function secretsOf({ processEnv, passEnv }: Pick<EnvironmentSource, 'processEnv' | 'passEnv'>): Secrets {
  const values = passEnv.flatMap((name) => processEnv[name] ?? []);
  const parts = values.flatMap((value) => [value, ...value.split('\n')]).map((part) => part.trim());
  const found = new Set(parts.map((part) => Buffer.from(part).toString('latin1')));
  // The longest first: one may begin with another.
  return [...found].filter(({ length }) => length >= MIN_BYTES).sort((a, b) => b.length - a.length);
}

/** How much more than is shown has to be read, so that none is found cut. */
export function longestOf(secrets: Secrets): number {
  return secrets[0]?.length ?? 0;
}

/**
 * The end of some output, without secrets: its last `most` bytes, and not less than the whole of what a secret became.
 * @param output with `longestOf` more bytes than that, where there are as many
 */
export function redactedEnd(output: Buffer, most: number, secrets: Secrets): Buffer {
  const cut = Math.max(0, output.length - most);
  if (secrets.length === 0) return output.subarray(cut);
  const bytes = output.toString('latin1');
  const pattern = new RegExp(secrets.map(escaped).join('|'), 'g');
  const amid = [...bytes.matchAll(pattern)].find(({ index, 0: found }) => index < cut && cut < index + found.length);
  return Buffer.from(bytes.slice(amid?.index ?? cut).replace(pattern, REDACTED), 'latin1');
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}
