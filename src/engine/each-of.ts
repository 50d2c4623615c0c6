/** Does the work for each of the items in their order, at most so many at a time. Rejects with the first failure; the others go on. */
export async function eachOf<T>(
  items: Iterable<T>,
  atOnce: number,
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  const left = [...items].values();
  async function next(): Promise<void> {
    for (const item of left) await work(item);
  }
  await Promise.all(Array.from({ length: atOnce }, next));
}
