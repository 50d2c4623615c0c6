/** Work of which one piece for each key is in hand at a time, and at most one more waits, which then is everybody's who asked meanwhile. */
export type SingleFlight<T> = (key: string, work: () => Promise<T>) => Promise<T>;

interface Flight<T> {
  current: Promise<T>;
  next: Promise<T> | null;
}

export function makeSingleFlight<T>(): SingleFlight<T> {
  const flights = new Map<string, Flight<T>>();

  function begin(key: string, work: () => Promise<T>): Promise<T> {
    const flight: Flight<T> = { current: work().finally(landed), next: null };
    function landed(): void {
      // The next one takes its place.
      if (flight.next === null) flights.delete(key);
    }
    flights.set(key, flight);
    return flight.current;
  }

  return (key, work) => {
    const flight = flights.get(key);
    if (flight === undefined) return begin(key, work);
    // What is in hand may have looked before that happened which this caller was told of.
    const again = () => begin(key, work);
    flight.next ??= flight.current.then(again, again);
    return flight.next;
  };
}
