/** Whether a directory is in use: a process works in it or below, or a supervisor was told to begin its run there. */
import { readlinkSync } from 'node:fs';
import { argumentsOf, takeSnapshot, throwIfShort } from './proc.ts';
import { SUPERVISOR_NAME } from './remnants.ts';

/** Of a supervisor's words, from the shell's own name on. */
const NAME_AT = 3;
const DIRECTORY_AT = 8;

export function isOccupied(directory: string): boolean {
  return [...takeSnapshot().keys()].some((pid) => worksIn(pid, directory) || isToBeginIn(pid, directory));
}

function worksIn(pid: number, directory: string): boolean {
  try {
    return `${readlinkSync(`/proc/${pid}/cwd`)}/`.startsWith(`${directory}/`);
  } catch (error) {
    throwIfShort(error);
    // Gone, or out of our reach.
    return false;
  }
}

/** From the moment of its start on, and until its run's end is recorded. */
function isToBeginIn(pid: number, directory: string): boolean {
  const words = argumentsOf(pid);
  return words[NAME_AT] === SUPERVISOR_NAME && words[DIRECTORY_AT] === directory;
}
