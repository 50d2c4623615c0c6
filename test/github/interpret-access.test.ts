import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { interpretDelivery } from '../../src/github/interpret.ts';

const WIDGETS = { id: 101, node_id: 'R_101', name: 'widgets', full_name: 'acme/widgets', private: true };
const TOOLS = { ...WIDGETS, id: 102, name: 'tools', full_name: 'acme/tools' };
const SENDER = { login: 'ann' };

const refs = (...ids: number[]) =>
  ids.map((id) => ({ id: String(id), fullName: id === 101 ? 'acme/widgets' : 'acme/tools', installationId: 7 }));

const INSTALLATION = ['created', 'deleted', 'suspend', 'unsuspend', 'new_permissions_accepted'];
const REPOSITORY = ['renamed', 'transferred', 'archived', 'unarchived', 'privatized', 'publicized', 'deleted'];

function installation(action: string, facts: object = {}) {
  return { action, installation: { id: 7, account: { login: 'acme' } }, sender: SENDER, ...facts };
}

function installed(action: string, facts: object = {}) {
  return installation(action, { repositories_added: [], repositories_removed: [], ...facts });
}

function repository(action: string, facts: object = {}) {
  return { action, repository: WIDGETS, installation: { id: 7 }, sender: SENDER, ...facts };
}

const IGNORED = { kind: 'ignored' };

describe('a delivery about an installation', () => {
  test.each(INSTALLATION)('that it was %s says whose access is to be read', (action) => {
    expect(interpretDelivery('installation', installation(action, { repositories: [WIDGETS, TOOLS] }))).toEqual({
      kind: 'access',
      action: `installation.${action}`,
      installationId: 7,
      repositories: refs(101, 102),
    });
  });

  test.each([undefined, null, []])('may name no repository (%j)', (repositories) => {
    expect(interpretDelivery('installation', installation('suspend', { repositories }))).toEqual({
      kind: 'access',
      action: 'installation.suspend',
      installationId: 7,
      repositories: [],
    });
  });

  test('may name ten thousand', () => {
    const repositories = Array.from({ length: 10_000 }, (_, index) => ({ id: index + 1, full_name: `acme/r${index}` }));
    const hint = interpretDelivery('installation', installation('created', { repositories }));
    expect(hint).toMatchObject({ kind: 'access', repositories: { length: 10_000 } });
  });

  test.each([
    ['added', 'repositories_added'],
    ['removed', 'repositories_removed'],
  ])('that repositories were %s names those', (action, field) => {
    expect(interpretDelivery('installation_repositories', installed(action, { [field]: [TOOLS] }))).toEqual({
      kind: 'access',
      action: `installation_repositories.${action}`,
      installationId: 7,
      repositories: refs(102),
    });
  });

  test('whose account was renamed means all its repositories', () => {
    const changes = { login: { from: 'acme-old' } };
    expect(interpretDelivery('installation_target', installation('renamed', { changes }))).toEqual({
      kind: 'access',
      action: 'installation_target.renamed',
      installationId: 7,
      repositories: [],
    });
  });
});

describe('a delivery about a repository', () => {
  test.each(REPOSITORY)('that it was %s says that its access is to be read', (action) => {
    expect(interpretDelivery('repository', repository(action))).toEqual({
      kind: 'access',
      action: `repository.${action}`,
      installationId: 7,
      repositories: refs(101),
    });
  });

  test('from a webhook that no App made has no installation', () => {
    const hint = interpretDelivery('repository', repository('archived', { installation: undefined }));
    expect(hint).toMatchObject({ installationId: null, repositories: [{ id: '101', installationId: null }] });
  });
});

test.each([
  ['installation', 'an_action_of_tomorrow'],
  ['installation_repositories', 'an_action_of_tomorrow'],
  ['installation_target', 'an_action_of_tomorrow'],
  ['repository', 'created'],
  ['repository', 'edited'],
  ['repository', 'an_action_of_tomorrow'],
  ['repository', 'toString'],
  ['repository_import', 'renamed'],
])('%s with the action %s is ignored, whatever comes with it', (event, action) => {
  expect(interpretDelivery(event, repository(action))).toEqual(IGNORED);
  expect(interpretDelivery(event, { action })).toEqual(IGNORED);
});

describe('a delivery is malformed', () => {
  test.each<[string, string, unknown, string]>([
    ['without an object', 'installation', null, 'payload'],
    ['without an action', 'installation', { installation: { id: 7 } }, 'action'],
    ['without an installation', 'installation', installation('deleted', { installation: undefined }), 'installation'],
    ['with an id in words', 'installation', installation('deleted', { installation: { id: '7' } }), 'installation.id'],
    ['with no list', 'installation', installation('created', { repositories: 'S3CRET' }), 'repositories'],
    [
      'with a repository without a name',
      'installation',
      installation('created', { repositories: [WIDGETS, { id: 102 }] }),
      'repositories.1.full_name',
    ],
    [
      'with a name that is none',
      'installation',
      installation('created', { repositories: [{ ...WIDGETS, full_name: 'S3CRET/a/b' }] }),
      'repositories.0.full_name',
    ],
    [
      'with an id in words',
      'installation_repositories',
      installed('removed', { repositories_removed: [{ ...WIDGETS, id: '101' }] }),
      'repositories_removed.0.id',
    ],
    ['without its lists', 'installation_repositories', installation('removed'), 'repositories_added'],
    ['without an installation', 'installation_target', { action: 'renamed' }, 'installation'],
    ['without a repository', 'repository', repository('renamed', { repository: undefined }), 'repository'],
    [
      'with a broken installation',
      'repository',
      repository('renamed', { installation: { id: 'S3CRET' } }),
      'installation.id',
    ],
    ['as a list', 'repository', [], 'payload'],
  ])('%s (%s), and the problem names the place alone', (_name, event, payload, place) => {
    const hint = interpretDelivery(event, payload);
    expect(hint).toEqual({ kind: 'malformed', problem: expect.stringContaining(`${place}: `) });
    expect(JSON.stringify(hint)).not.toContain('S3CRET');
  });

  test('with ten thousand broken repositories in few words', () => {
    const repositories = Array.from({ length: 10_000 }, () => ({ id: 'S3CRET', full_name: 'S3CRET' }));
    const hint = interpretDelivery('installation', installation('created', { repositories }));
    expect(hint).toMatchObject({ kind: 'malformed' });
    expect(JSON.stringify(hint).length).toBeLessThan(400);
  });

  test('or understood, and never thrown at, whatever JSON holds', () => {
    const kinds = ['access', 'ignored', 'malformed'];
    fc.assert(
      fc.property(fc.constantFrom(...INSTALLATION, ...REPOSITORY, 'added'), fc.jsonValue(), (action, value) => {
        const payload = { action, installation: value, repository: value, repositories: value };
        for (const event of ['installation', 'installation_repositories', 'installation_target', 'repository']) {
          expect(kinds).toContain(interpretDelivery(event, payload).kind);
        }
      }),
      { numRuns: 200 },
    );
  });
});
