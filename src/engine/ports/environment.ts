export type Clock = () => Date;

/** A new id with a prefix that tells its kind; later ids sort after earlier ones. */
export type NewId = (prefix: 'batch' | 'task' | 'run' | 'episode' | 'message' | 'command') => string;

/** pino's shape: fields first, then one constant message. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
