/** Words and numbers for people: safe to print, short to read. */

/** Only pictures of a character depend on these. */
const VARIATION = /[\uFE00-\uFE0F\u{E0100}-\u{E01EF}]/gu;
/** Controls, format characters (bidi, zero-width, tags), lone surrogates, fillers that look like nothing. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\u2028\u2029]/gu;

/** What drives a terminal, is invisible or turns the direction of reading is shown as `�`; line ends, too. */
export function visible(text: string): string {
  return text.replace(VARIATION, '').replace(UNSEEN, '�');
}

export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 120_000) return `${(ms / 1_000).toFixed(1)} s`;
  const minutes = Math.round(ms / 60_000);
  return minutes < 120 ? `${minutes} min` : `${(minutes / 60).toFixed(1)} h`;
}

/** How long ago, or for how long by now: coarse, and never negative where a clock was set back. */
export function age(since: Date, now: Date): string {
  const seconds = Math.max(0, Math.floor((now.getTime() - since.getTime()) / 1_000));
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7_200) return `${Math.floor(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.floor(seconds / 3_600)} h` : `${Math.floor(seconds / 86_400)} days`;
}

/** Text of people or programs as a part of one line. */
export function line(text: string): string {
  const flat = visible(text.replace(/[\s\p{Cc}]+/gu, ' ')).trim();
  return flat.length > 200 ? `${Array.from(flat).slice(0, 200).join('')}…` : flat;
}

export function utc(date: Date): string {
  return `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}
