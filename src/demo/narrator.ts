/** How the demo tells what happens: plain lines, with the seconds since its start; colours only where they are wanted. */
import { styleText } from 'node:util';
import { duration } from '../core/report/text.ts';
import { commentLines } from './comment-text.ts';
import type { Expectation } from './expectations.ts';

const WIDTH = 92;

export interface Narrator {
  /** Something happens. */
  scene(text: string): void;
  /** What was seen of it. */
  say(text: string): void;
  /** How long something took. */
  took(text: string, ms: number): void;
  comment(by: string, issue: number, body: string): void;
  verdict(expectations: readonly Expectation[]): void;
  failure(text: string): void;
}

type Style = Parameters<typeof styleText>[0];

export function makeNarrator(out: (line: string) => void, colour: boolean): Narrator {
  const start = Date.now();
  const style = (format: Style, text: string) => (colour ? styleText(format, text) : text);
  const ink = {
    bold: (text: string) => style('bold', text),
    code: (text: string) => style('cyan', text),
  };
  const say = (text: string) => out(`         ${text}`);
  return {
    say,
    scene(text) {
      const seconds = ((Date.now() - start) / 1_000).toFixed(1).padStart(5);
      out('');
      out(`${style('dim', `${seconds} s`)}  ${style('bold', text)}`);
    },
    took: (text, ms) => say(`${text.padEnd(46, ' ')} ${style('yellow', duration(ms).padStart(7))}`),
    comment(by, issue, body) {
      say(style('dim', `┌ ${by} on #${issue}`));
      for (const line of commentLines(body, ink, WIDTH)) say(`${style('dim', '│')} ${line}`.trimEnd());
      say(style('dim', '└'));
    },
    verdict(expectations) {
      for (const { text, held } of expectations)
        out(held ? `  ${style('green', '✓')} ${text}` : `  ${style('red', '✗')} ${text}`);
    },
    failure: (text) => out(style('red', text)),
  };
}
