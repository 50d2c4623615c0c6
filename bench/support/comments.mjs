// Long comments as people write them on issues: prose, lists, quotes, tables, code and logs. The same ones each time.

/** @param size characters of each, about */
export function makeComments(count, size) {
  const random = makeRandom(7);
  return Array.from({ length: count }, () => makeComment(size, random));
}

function makeComment(size, random) {
  const parts = [];
  for (let length = 0; length < size; length += parts.at(-1).length + 2) parts.push(pick(PARTS, random)(random));
  return parts.join('\n\n');
}

const WORDS =
  'the run stopped after epoch because loss of validation grew while we changed learning rate and batch size on both nodes so that `train.py` reads **all** shards from [the data](https://example.com/data) again, see #12 and *not* the other one'.split(
    ' ',
  );

const words = (count, random) => Array.from({ length: count }, () => pick(WORDS, random)).join(' ');
const times = (count, make) => Array.from({ length: count }, make).join('\n');
const number = (random) => Math.floor(random() * 10_000);

const PARTS = [
  (random) => times(4, () => words(14, random)),
  (random) => times(3, () => words(20, random)),
  (random) => times(5, () => `- ${words(9, random)}\n  - ${words(6, random)}`),
  (random) => times(4, () => `> ${words(12, random)}`),
  (random) => `### ${words(5, random)}\n${words(12, random)}`,
  (random) => `| step | loss |\n| --- | --- |\n${times(6, () => `| ${number(random)} | 0.${number(random)} |`)}`,
  (random) =>
    `\`\`\`\n${times(25, () => `2026-01-01 12:00:00 INFO step=${number(random)} ${words(6, random)}`)}\n\`\`\``,
  (random) => `<details><summary>Log</summary>\n\n~~~text\n${times(15, () => words(10, random))}\n~~~\n\n</details>`,
];

function pick(list, random) {
  return list[Math.floor(random() * list.length)];
}

/** From 0 up to 1: Park and Miller's minimal standard generator. */
function makeRandom(seed) {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
