/** Answers of an agent that say no: it was reached, and can't do what it was asked for. */
import { RunnerUnreachable } from '../../engine/ports/runner.ts';

/** In the words of the agent. Whether the run was touched is as open as without an answer. */
export class Refused extends RunnerUnreachable {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}
