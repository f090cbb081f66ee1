import type { Cells } from '../../src/base/cells.ts';

/** LAUREL_TEST_SPREAD runs the same tests with tenants that are spread over several cells. */
const SPREAD = Number(process.env.LAUREL_TEST_SPREAD ?? 1);

/** The cells of a test's installation. */
export function testCells(count: number): Cells {
  return { count, spread: Math.min(SPREAD, count) };
}
