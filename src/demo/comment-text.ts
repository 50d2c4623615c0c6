/** A comment as a person sees it on the issue: without what is hidden, its little Markdown as words on a terminal. */
import { stripVTControlCharacters } from 'node:util';

interface Ink {
  bold(text: string): string;
  code(text: string): string;
}

const INDENT = '  ';

export function commentLines(body: string, ink: Ink, width: number): string[] {
  const visible = body.replace(/<!--[\s\S]*?-->\s*/g, '').trim();
  return visible.split('\n').flatMap((line) => {
    const item = /^[-*] (.*)$/.exec(line);
    return item ? wrap(`• ${inline(item[1] ?? '', ink)}`, width, INDENT) : wrap(inline(line, ink), width, '');
  });
}

function inline(text: string, ink: Ink): string {
  return text
    .replace(/`([^`]+)`/g, (_, word: string) => ink.code(word))
    .replace(/\*\*(.+?)\*\*/g, (_, words: string) => ink.bold(words));
}

/** Colours take no room. */
function wrap(text: string, width: number, indent: string): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && stripVTControlCharacters(longer).length > width) {
      lines.push(line);
      line = indent + word;
    } else {
      line = longer;
    }
  }
  return [...lines, line];
}
