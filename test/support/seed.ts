/**
 * Seed of a test that draws its cases: LAUREL_SEED, or the test's own, so that a run repeats the one before. Prints it.
 * @param name of the test file
 */
export function readSeed(name: string, fallback: number): number {
  const seed = Number(process.env.LAUREL_SEED ?? fallback);
  console.log(`${name}: LAUREL_SEED=${seed}`);
  return seed;
}
