// What the disk alone takes: the least that "accepted means kept" can cost on this machine.
import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';

/** Each call of `fdatasync` and `insert` takes one measurement, in ms. */
export function openFloors(dir, payload) {
  const file = openSync(join(dir, 'floor.bin'), 'a');
  const database = new BetterSqlite3(join(dir, 'floor.db'));
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = FULL');
  database.exec('CREATE TABLE delivery (id INTEGER PRIMARY KEY, event TEXT, payload TEXT)');
  const insert = database.prepare('INSERT INTO delivery (event, payload) VALUES (?, ?)');
  return {
    fdatasync: () =>
      timed(() => {
        writeSync(file, payload);
        fdatasyncSync(file);
      }),
    insert: () => timed(() => insert.run('issues', payload)),
    close() {
      closeSync(file);
      database.close();
    },
  };
}

function timed(work) {
  const from = performance.now();
  work();
  return performance.now() - from;
}
