import { describe, expect, it } from 'vitest';
import { readOwnWord } from '../../src/core/own-word.ts';

const nothing = { reason: null, until: null, problem: null };

describe('what a run says of itself', () => {
  it('is nothing where the file is empty', () => {
    expect(readOwnWord('')).toBeNull();
    expect(readOwnWord(' \n')).toBeNull();
  });

  it('is a result, and what cut it short', () => {
    expect(readOwnWord('{"result":"done"}')).toEqual({ ...nothing, result: 'done' });
    expect(readOwnWord('{"result":"failed","reason":"transport","tokens":12}')).toEqual({
      ...nothing,
      result: 'failed',
      reason: 'transport',
    });
    expect(readOwnWord('{"result":"failed","reason":"usage_limit","until":"2027-01-31T12:00:00+01:00"}')).toEqual({
      ...nothing,
      result: 'failed',
      reason: 'usage_limit',
      until: new Date('2027-01-31T11:00:00Z'),
    });
  });

  it.each(['"soon"', '1893456000', '{}', '"2027-13-45T99:00:00Z"', '"2027-01-31"', '"9999-12-31T23:59:59-23:59"'])(
    'keeps the usage limit where its end is no time: %s',
    (until) => {
      expect(readOwnWord(`{"result":"failed","reason":"usage_limit","until":${until}}`)).toEqual({
        ...nothing,
        result: 'failed',
        reason: 'usage_limit',
        problem: 'until: must be a time as 2027-01-31T12:00:00Z',
      });
    },
  );

  it.each([
    ['HTTP 529 overloaded, usage_limit', 'must be a JSON object'],
    ['{"result":"do', 'must be a JSON object'],
    ['[]', 'must be a JSON object'],
    ['null', 'must be a JSON object'],
    ['{}', 'result: must be "done" or "failed"'],
    ['{"result":"Done"}', 'result: must be "done" or "failed"'],
    ['{"result":"failed","reason":"529"}', 'reason: must be one of: killed, usage_limit, transport'],
  ])('says nothing that counts where it is not understood: %s', (text, problem) => {
    expect(readOwnWord(text)).toEqual({ ...nothing, result: null, problem });
  });
});
