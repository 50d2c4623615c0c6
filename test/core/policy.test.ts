import fc from 'fast-check';
import { expect, it } from 'vitest';
import { atLeast, DEFAULT_POLICY, PERMISSIONS, PERMITTED, type Policy, withFloor } from '../../src/core/policy.ts';

it('a floor asks for more, and never for less', () => {
  const floor = { retry: 'triage', done: 'maintain' } as const;
  expect(withFloor(DEFAULT_POLICY, floor)).toEqual({
    ...DEFAULT_POLICY,
    permissions: { ...DEFAULT_POLICY.permissions, done: 'maintain' },
  });
});

it('where the operator says nothing, work is started by write and ended by triage', () => {
  const permissions = Object.fromEntries(PERMITTED.map((verb) => [verb, 'none'])) as Policy['permissions'];
  expect(withFloor({ ...DEFAULT_POLICY, permissions }, {}).permissions).toEqual({
    ...permissions,
    ...{ run: 'write', retry: 'write', done: 'triage', cancel: 'triage', logs: 'triage' },
  });
});

it('what the operator names, an issue’s author may not say without the role', () => {
  const policy: Policy = { ...DEFAULT_POLICY, author: ['run', 'cancel', 'status'] };
  expect(withFloor(policy, { cancel: 'triage' }).author).toEqual(['status']);
  expect(withFloor(policy, { cancel: 'none' }).author).toEqual(['cancel', 'status']);
});

it('an issue’s author starts programs only where the operator asks for no role at all', () => {
  const policy: Policy = { ...DEFAULT_POLICY, author: ['run', 'retry', 'cancel'] };
  expect(withFloor(policy, {}).author).toEqual(['cancel']);
  expect(withFloor(policy, { run: 'none', retry: 'read' }).author).toEqual(['run', 'cancel']);
});

it('under a floor every verb asks for what the file says, or for the floor, whichever is more', () => {
  const permission = fc.constantFrom(...PERMISSIONS);
  const floored = ['run', 'retry', 'done', 'cancel', 'logs'] as const;
  const given = fc.record(Object.fromEntries(PERMITTED.map((verb) => [verb, permission])));
  const floors = fc.record(Object.fromEntries(floored.map((verb) => [verb, permission])));
  fc.assert(
    fc.property(given, floors, (asked, floor) => {
      const policy: Policy = { ...DEFAULT_POLICY, permissions: asked as Policy['permissions'] };
      const { permissions } = withFloor(policy, floor);
      for (const verb of PERMITTED) {
        const [own = 'none', least = 'none'] = [asked[verb], floor[verb]];
        expect(permissions[verb]).toBe(atLeast(own, least) ? own : least);
      }
    }),
  );
});
