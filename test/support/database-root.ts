/**
 * Where databases of tests lie: in memory where there is room, so that no commit waits for a disk. What a killed process has written
 * outlives it there as on a disk; what only a loss of power takes can't be tested on either.
 */
import { accessSync, constants, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

const MEMORY = '/dev/shm';
/** Containers often come with 64 MB, which is too little for tests side by side. */
const ENOUGH_BYTES = 512 * 1024 * 1024;

export function databaseRoot(): string {
  return hasRoom(MEMORY) ? MEMORY : tmpdir();
}

function hasRoom(dir: string): boolean {
  try {
    accessSync(dir, constants.W_OK);
    const { bavail, bsize } = statfsSync(dir);
    return bavail * bsize >= ENOUGH_BYTES;
  } catch {
    return false;
  }
}
