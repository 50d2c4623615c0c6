import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { makeLogger } from '../../../src/app/log.ts';

function capture() {
  const lines: string[] = [];
  const out = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  return { out, lines };
}

const key = `-----BEGIN KEY-----\n${'k'.repeat(64)}\n-----END KEY-----`;

describe('the log', () => {
  it('writes one JSON line with its fields, a level in words and an ISO time', () => {
    const { out, lines } = capture();
    makeLogger({ level: 'info', format: 'json' }, [], out).info({ task: 'task_1' }, 'task ended');
    expect(JSON.parse(lines[0]!)).toEqual({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      task: 'task_1',
      msg: 'task ended',
    });
  });

  it('stays silent below its level', () => {
    const { out, lines } = capture();
    makeLogger({ level: 'warn', format: 'json' }, [], out).info({}, 'task ended');
    expect(lines).toEqual([]);
  });

  it.each(['json', 'pretty'] as const)('holds no secret in %s, neither by name nor by value', async (format) => {
    const { out, lines } = capture();
    const log = makeLogger({ level: 'info', format }, ['hush-hush', key], out);
    const error = new Error(`request with hush-hush failed: ${key}`);
    log.error({ err: error, headers: { authorization: 'Bearer other' }, url: 'http://x/?t=hush-hush' }, 'hush-hush');
    log.info({ part: 'k'.repeat(64) }, 'a part of the key');
    await expect.poll(() => lines.length).toBeGreaterThanOrEqual(2);
    const text = lines.join('');
    expect(text).toContain('[redacted]');
    for (const secret of ['hush-hush', 'other', 'kkkkkkkk']) expect(text).not.toContain(secret);
  });
});
