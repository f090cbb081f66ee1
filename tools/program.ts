import { join } from 'node:path';
import { packageRoot } from '../src/base/packageRoot.ts';

/** What `laurel` runs in a build of the project: by default, in that of this checkout. */
export const programOf = (root: string): string => join(root, 'dist', 'program', 'main.js');

export const PROGRAM = programOf(packageRoot());
