import { expect, it } from 'vitest';
import { renderNotice } from '../../../src/core/report/notice.ts';
import { see } from './hostile.ts';

const problems = ['line 3, column 5: tasks.train.run: must be a list of strings', 'line 9: `x` ``` @ann <b>'];
const notice = { id: 'n', path: '.github/standdown.yml', sha: 'a'.repeat(40), problems, inForce: 'b'.repeat(40) };

it('says which content is wrong where, and what is in force meanwhile', () => {
  const body = renderNotice(notice);
  expect(body).toMatch(
    /^<!-- standdown:notice n -->\n\*\*`\.github\/standdown\.yml` of this repository is wrong\*\* \(content `aaaaaaaaaaaa`\)/,
  );
  expect(body).toContain('\nline 3, column 5: tasks.train.run: must be a list of strings\n');
  expect(body).toMatch(/last right content \(`bbbbbbbbbbbb`\) stays in force\.$/);
  expect(renderNotice({ ...notice, inForce: null })).toMatch(/the defaults are in force\.$/);
  expect(see(body)).toMatchObject({ links: [], other: [], html: ['<!-- standdown:notice n -->'] });
});

it('of thousands of problems the first are told, and the rest is counted', () => {
  const body = renderNotice({
    ...notice,
    problems: Array.from({ length: 10_000 }, (_, n) => `line ${n}: ${'x'.repeat(9_000)}`),
  });
  expect(body.length).toBeLessThan(65_536);
  expect(body).toContain('line 0: x');
  expect(body).toMatch(/\nand 99\d\d more\n/);
});
