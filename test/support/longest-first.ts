/** The order of test files: a long one that starts last would keep one worker busy while the others have nothing left to do. */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The project whose files share processes. They are short, and a process goes on only to a next one of the same project. */
export const SHARED = 'shared';

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => rankOf(a) - rankOf(b));
  }
}

function rankOf({ moduleId, project }: TestSpecification): number {
  // Walks of `kill -9` take a minute or more each, and are among the smallest files.
  if (/\/crash-[^/]*$/.test(moduleId)) return 0;
  return project.name === SHARED ? 2 : 1;
}
