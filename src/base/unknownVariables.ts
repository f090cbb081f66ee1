import { didYouMean } from './closest.ts';
import { readEnv } from './env.ts';

/** Variables of clients and of the test suite, and those that Kubernetes sets for each service whose name begins with laurel. */
const OTHERS = /^LAUREL_(KEY|URL|TEST_.*|(.+_)?SERVICE_(HOST|PORT)(_.+)?|(.+_)?PORT(_\d+_TCP.*)?)$/;

/** One message for each variable that begins with LAUREL_ and that laurel does not read, for example because it is misspelt. */
export function unknownVariables(source: NodeJS.ProcessEnv = process.env): string[] {
  const read = new Set<string>();
  const get = (target: NodeJS.ProcessEnv, name: string): string | undefined => {
    read.add(name);
    return target[name];
  };
  readEnv(new Proxy(source, { get }));
  return Object.keys(source)
    .filter((name) => name.startsWith('LAUREL_') && !read.has(name) && !OTHERS.test(name))
    .map((name) => `${name} is not a variable of laurel${didYouMean(name, read)}`);
}
