/** What `standdown attend` makes of its words. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type FakeApp, run, startApp } from './support.ts';

let app: FakeApp;
beforeEach(async () => {
  app = await startApp();
});
afterEach(() => app.close());

const told = async (...args: string[]) => {
  const { exitCode, err } = await run(app, 'attend', ...args, '--', 'true');
  return `${exitCode} ${err}`;
};

it('takes a task or an issue, and not both', async () => {
  const accepted = 'accepted is one of them\n';
  expect(await told()).toBe(`2 standdown: neither --task nor --issue is given: ${accepted}`);
  const both = await told('--task', 'task_1', '--issue', 'acme/widgets#12');
  expect(both).toBe(`2 standdown: --task and --issue are both given: ${accepted}`);
  expect(await told('--task', 'task_1')).toBe('0 ');
  expect(await told('--issue', 'acme/widgets#12', '--interval', '5', '--grace', '0')).toBe('0 ');
});

it('refuses what means nothing', async () => {
  const interval = '--interval is for --issue: of a task the app tells at once';
  expect(await told('--task', 'task_1', '--interval', '5')).toBe(`2 standdown: ${interval}\n`);
  expect(await told('--issue', 'nonsense')).toMatch(/^2 standdown: --issue: "nonsense" is neither owner\/name#12 nor/);
  expect(await told('--task', 'task_1', '--grace', '-1')).toMatch(/^2 standdown: .*--grace.*from 0 to 86400/s);
  expect(app.calls).toEqual([]);
});
