import { ATTENDED } from '../core/attended.ts';
import type { Runners } from './ports.ts';

/** Those that the operator named, and the one that nobody has to name: attended runs are looked after as all others. */
export function runnersHere(runners: Runners): readonly string[] {
  return runners.get(ATTENDED) !== null ? [...runners.names(), ATTENDED] : runners.names();
}
