import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { packageRoot } from '../../src/base/packageRoot.ts';
import { profileProcesses } from './processes.ts';
import { measureSections } from './sections.ts';

/** `npm run bench:profile -- [DIRECTORY]`: where the time of full events goes. */
const directory = resolve(process.argv[2] ?? join(packageRoot(), 'dist', 'profile'));
await profileProcesses(directory);
const scratch = await mkdtemp(join(tmpdir(), 'laurel-profile-'));
try {
  await measureSections(scratch);
} finally {
  await rm(scratch, { recursive: true, force: true });
}
