/** What a look around the machine costs doesn't grow with the number of runs that are looked for: nobody else's stop waits for it. */
import { expect, it } from 'vitest';
import { makeOptions, open, orderOf, removeRunner } from '../../support/process-runner.ts';
import { deadline, endByWord, eventually, makeMarker, NASTY } from '../../support/processes.ts';

it('thousands of runs that nothing is known of are looked for at once', async () => {
  const options = makeOptions('scan');
  const control = await open(options);
  const marker = makeMarker();
  try {
    await control.start(orderOf('run_lives', [NASTY, 'plain', marker, deadline()]));
    const ids = Array.from({ length: 3_000 }, (_, index) => `run_${index}`);
    const before = performance.now();
    const found = await control.inspect([...ids, 'run_lives']);
    // One by one it takes seven seconds and more.
    expect(performance.now() - before).toBeLessThan(3_000);
    expect(found.get('run_lives')).toMatchObject({ state: 'running' });
    expect(ids.filter((id) => found.get(id)?.state !== 'no_record')).toEqual([]);
    await control.cancel('run_lives', 'kill');
    await eventually(async () => expect((await control.inspect(['run_lives'])).get('run_lives')?.state).toBe('exited'));
  } finally {
    endByWord(marker);
    await control.close();
    removeRunner(options);
  }
});
