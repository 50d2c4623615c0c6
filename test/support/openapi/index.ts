export { makeOpenApiCheck } from './check.ts';
export { expectNoViolations, withOpenApiCheck } from './violations.ts';
