import { pipeline, type Readable, type Transform } from 'node:stream';

/** Like `pipe`, but reading the end also throws the errors of the start. */
export function through<T extends Transform>(start: Readable, end: T): T {
  pipeline(start, end, () => {});
  return end;
}
