import { expect, test } from 'vitest';
import { SingleFlight } from '../../src/base/singleFlight.ts';

test('calls with the same key share one run until it ends', async () => {
  const flights = new SingleFlight<string, number>();
  let runs = 0;
  const task = async () => ++runs;
  expect(await Promise.all([flights.run('a', task), flights.run('a', task), flights.run('b', task)])).toEqual(
    [1, 1, 2],
  );
  expect(await flights.run('a', task)).toBe(3);
});

test('a failure reaches every caller of the run, and the next call runs again', async () => {
  const flights = new SingleFlight<string, string>();
  const fail = () => Promise.reject(new Error('away'));
  const results = await Promise.allSettled([
    flights.run('a', fail),
    flights.run('a', async () => 'never run'),
  ]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await flights.run('a', async () => 'back')).toBe('back');
});

test('a task in flight is found by its key until it ends', async () => {
  const flights = new SingleFlight<number, string>();
  const flight = flights.run(1, async () => 'done');
  expect(flights.get(1)).toBe(flight);
  await flight;
  expect(flights.get(1)).toBeUndefined();
});
