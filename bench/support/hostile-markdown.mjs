// Bodies that make a careless reader of Markdown slow: each from a size in characters, all of them without a command of their own.

const filled = (unit) => (size) => unit.repeat(Math.ceil(size / unit.length)).slice(0, size);
const nested = (open, close) => (size) => {
  const depth = Math.floor(size / (open.length + close.length));
  return open.repeat(depth) + close.repeat(depth);
};

export const HOSTILE = {
  'nested quotes': filled('>'),
  'quotes on quotes': filled('> > > > > > > > > > > > a\n'),
  'a quote that goes on': (size) => `${'>'.repeat(20)} a\n${filled('b\n')(size)}`,
  'quotes that end at once': filled('>-\nb\n'),
  'fences that stay open': filled('```\n~~~\n'),
  'a fence in each quote': filled('> ```\n'),
  'one long run of backticks': filled('`'),
  'runs of backticks, each longer': runsOfBackticks,
  'backticks that don’t match': filled('` a ``b '),
  'open brackets': filled('['),
  'nested brackets': nested('[', ']'),
  'links in links': filled('[a]('),
  'open images': filled('!['),
  'images in images': nested('![', '](a)'),
  stars: filled('*'),
  'stars and underscores': filled('**a _b '),
  'open tags': filled('<a '),
  'open attributes': filled('<a b="'),
  'open comments': filled('a <!--'),
  ampersands: filled('&'),
  'a long table': (size) => `a|b\n-|-\n${filled('c|d\n')(size)}`,
  'a wide table': wideTable,
  'deep lists': filled('* - '),
  'lists in steps': listsInSteps,
  'link definitions': filled('[a]: b\n'),
  'open titles of definitions': filled('[a]: b "\n'),
  'open labels': filled('[a\n'),
  spaces: (size) => `a${filled(' ')(size)}b`,
  'short lines': filled('a\n'),
};

/** What is between the commands is a part of their paragraph, or blocks of its own. */
export const GAPS = ['\n', '\n\n'];

export function between(text, gap) {
  return `/task cancel a${gap}${text}${gap}/task done b`;
}

function runsOfBackticks(size) {
  let text = '';
  for (let length = 1; text.length < size; length++) text += `${'`'.repeat(length)} `;
  return text.slice(0, size);
}

function wideTable(size) {
  const columns = Math.floor(size / 8);
  return `${'|a'.repeat(columns)}|\n${'|-'.repeat(columns)}|\n${filled('|\n')(size / 2)}`;
}

function listsInSteps(size) {
  let text = '';
  for (let depth = 0; text.length < size; depth++) text += `${'  '.repeat(depth)}- a\n`;
  return text.slice(0, size);
}
