/** Why a command was not started. */

export class AttendError extends Error {
  override readonly name = 'AttendError';
  /** `refused`: the issue is none that can be watched; `unreachable`: GitHub gave no answer; else what the system says of the program. */
  readonly code: 'refused' | 'unreachable' | 'not_found' | 'not_executable';

  constructor(code: AttendError['code'], message: string) {
    super(message);
    this.code = code;
  }
}
