import { didYouMean } from './closest.ts';
import type { SettingOf, Variables } from './envValues.ts';
import { VARIABLES } from './envVariables.ts';

/** All settings that the process reads from its environment, checked once at start. */
export type Env = SettingOf<typeof VARIABLES>;

/** @throws Error that names the variable with an invalid value */
export const readEnv = (source: Variables = process.env): Env => VARIABLES.read(source);

/**
 * Variables of clients and of the test suite, and those that Kubernetes sets for each service whose name
 * begins with laurel.
 */
const OTHERS = /^LAUREL_(KEY|URL|TEST_.*|(.+_)?SERVICE_(HOST|PORT)(_.+)?|(.+_)?PORT(_\d+_TCP.*)?)$/;

/**
 * One message for each variable that begins with LAUREL_ and that laurel does not read, for example because
 * it is misspelt.
 */
export function unknownVariables(source: Variables = process.env): string[] {
  const read = new Set(VARIABLES.rows.map(({ name }) => name));
  return Object.keys(source)
    .filter((name) => name.startsWith('LAUREL_') && !read.has(name) && !OTHERS.test(name))
    .map((name) => `${name} is not a variable of laurel${didYouMean(name, read)}`);
}
