import { beforeEach } from 'vitest';
import { dayFromStart } from './testTime.ts';
import type { ServerUnderTest } from './useServer.ts';

/** Has each test begin on a Wednesday at ten, so many weeks after the one before. */
export function weeksApart(server: ServerUnderTest, weeks: number) {
  let begun = 0;
  /** The date so many days after the beginning of the test. */
  const day = (offset: number): string => dayFromStart(begun * 7 + offset);
  const at = (offset: number, time = '10:00:00'): Promise<void> => server.moveTo(`${day(offset)}T${time}Z`);
  beforeEach(async () => {
    begun += weeks;
    await at(0);
  });
  return { day, at };
}
