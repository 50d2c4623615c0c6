/** Text that would do something in a comment if it could, and what a Markdown reader makes of one. */
import fc from 'fast-check';
import markdownIt, { type Token } from 'markdown-it';

const GITHUB = markdownIt({ html: true, linkify: true });

/** Arbitrary text, with what is dangerous far more often than chance has it. */
export const HOSTILE = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary', maxLength: 8 }),
      fc.constantFrom(
        ...['@ann', '#12', 'acme/widgets#12', 'GH-12', 'deadbeefcafe', 'https://evil.example/x', 'www.evil.example'],
        ...['![x](https://e.example/x.png)', '[a](b)', '[a]: b', '<img src=x>', '<!--', '-->', '</details>', '<a@b.c>'],
        ...[
          '```',
          '``',
          '`',
          '~~~',
          '````',
          '\\',
          '\\`',
          '|',
          '\n',
          '\r\n',
          '\n\n',
          '    ',
          '\t',
          '> ',
          '- ',
          '# ',
          '***',
        ],
        ...['\u202e', '\u200b', '\u0000', '\u001b[31m', '\ud800', '\ufe0f', '%%{init: {}}%%', '";x["', '--', '=='],
        ...['&lt;', '&#64;ann', '&commat;ann', '$$x$$', ':tada:', 'word', 'a b', '12'],
      ),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''));

export interface Seen {
  /** What a reader sees as words, outside code. */
  text: string;
  code: string[];
  html: string[];
  links: string[];
  /** Whatever else there is, by the name of its token. */
  other: string[];
}

const PLAIN = /^(paragraph|table|thead|tbody|tr|th|td|strong|em|bullet_list|list_item|blockquote)_(open|close)$|break$/;

export function see(markdown: string): Seen {
  const seen: Seen = { text: '', code: [], html: [], links: [], other: [] };
  const look = (token: Token): void => {
    const { type, content, children } = token;
    if (children !== null) children.forEach(look);
    else if (type === 'text' || type === 'text_special') seen.text += content;
    else if (type === 'code_inline' || type === 'fence') seen.code.push(content);
    else if (type.startsWith('html_')) seen.html.push(content.trim());
    else if (type === 'link_open') seen.links.push(token.attrGet('href') ?? '');
    else if (type !== 'link_close' && !PLAIN.test(type)) seen.other.push(type);
  };
  GITHUB.parse(markdown, {}).forEach(look);
  return seen;
}

/** What GitHub would make something of. */
export const MEANT = /@\w|#\d|GH-\d|[0-9a-f]{7}|:\/\/|www\.|:\w+:|\$\$|<|>|\[|\]/i;
