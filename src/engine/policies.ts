/** The policy of a repository: what its file says, with the operator's floor under it; the defaults where it says nothing. */
import { DEFAULT_POLICY, type Floor, type Policy, withFloor } from '../core/policy.ts';
import type { Store } from './ports.ts';
import { fileInForce } from './repository-file.ts';

export function makePolicyOf(
  store: Pick<Store, 'repositoryFile'>,
  floor: () => Floor,
): (repositoryId: string) => Promise<Policy> {
  return async (repositoryId) => {
    const file = await fileInForce(store, repositoryId);
    return withFloor(file?.policy ?? DEFAULT_POLICY, floor());
  };
}
