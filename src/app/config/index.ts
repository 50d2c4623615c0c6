export { type Config, ConfigError, type LogConfig, secretsOf } from './config.ts';
export { readClientConfig, readConfig, readOperatorFile } from './read-config.ts';
