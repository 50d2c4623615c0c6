/** The documents that people write: what they may say, and what is wrong with one that says something else. */
export {
  type BatchDocument,
  batchDocumentJsonSchema,
  type DraftBatch,
  MAX_TASKS,
  parseBatchDocument,
  type TaskEntry,
} from './batch.ts';
export { parseJson } from './json.ts';
export { notEnforced } from './not-enforced.ts';
export {
  type AgentRunner,
  type OperatorFile,
  type ProcessRunner,
  parseOperatorFile,
  type RunnerSettings,
} from './operator.ts';
export { formatProblem, type Problem, withPlaces } from './problem.ts';
export { matchesRepository } from './repositories.ts';
export {
  batchOf,
  MAX_FILE_CHARACTERS,
  parseRepositoryFile,
  type RepositoryFile,
  readRepositoryFile,
  repositoryFileJsonSchema,
} from './repository-file.ts';
export { resolveBatch } from './resolve.ts';
export { instantiate, type Template } from './template.ts';
export { parseYaml, type SourceText } from './yaml.ts';
