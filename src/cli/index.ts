export type { CliDeps } from './context.ts';
export { runCli } from './program.ts';
