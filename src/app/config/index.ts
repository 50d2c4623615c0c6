export { type Config, ConfigError, type LogConfig, secretsOf } from './config.ts';
export { OWN_SECRETS } from './own-secrets.ts';
export { readAttendConfig, readClientConfig, readConfig, readOperatorFile } from './read-config.ts';
