import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { packageRoot } from '../../../src/base/packageRoot.ts';

/** Files that a build needs besides the packages. */
const FILES = ['package.json', 'vite.program.config.ts', 'docs', 'lua', 'src', 'workers'];
const OUTBOX = 'src/redis/decoding/outbox.ts';
const LAYOUT = 'src/redis/lua/entryFormat.ts';
const MIGRATION = '002_next.sql';

/** Two builds of consecutive versions. Both read two formats of events. */
export interface Builds {
  /** Writes the older format. */
  older: string;
  /** Writes the newer format, and has a migration more. */
  newer: string;
  migration: string;
}

/** Makes the builds from these sources, by edits of them. */
export async function makeBuilds(directory: string): Promise<Builds> {
  const [older, newer] = [join(directory, 'older'), join(directory, 'newer')];
  await copySources(older);
  await readAlso(older, 'recordEvents/2');
  await copySources(newer);
  await readAlso(newer, 'recordEvents/1');
  await replaceIn(join(newer, LAYOUT), "'recordEvents/1'", "'recordEvents/2'");
  await Promise.all([older, newer].map(build));
  const sql = 'alter table tenants add column next integer;';
  await writeFile(join(newer, 'src/db/migrations', MIGRATION), sql);
  return { older, newer, migration: MIGRATION };
}

async function copySources(root: string): Promise<void> {
  for (const file of FILES) {
    await mkdir(dirname(join(root, file)), { recursive: true });
    await cp(join(packageRoot(), file), join(root, file), { recursive: true });
  }
  await symlink(join(packageRoot(), 'node_modules'), join(root, 'node_modules'));
}

async function build(root: string): Promise<void> {
  await promisify(execFile)('npx', ['vite', 'build', '-c', 'vite.program.config.ts'], { cwd: root });
}

async function readAlso(root: string, format: string): Promise<void> {
  const outbox = join(root, OUTBOX);
  await replaceIn(outbox, 'Object.values(ENTRY_FORMAT)', `[...Object.values(ENTRY_FORMAT), '${format}']`);
  const entry = `['recordEvents', '${format}']`;
  await replaceIn(outbox, 'Object.entries(ENTRY_FORMAT)', `[...Object.entries(ENTRY_FORMAT), ${entry}]`);
}

/** @throws Error unless the file contains the text once */
async function replaceIn(file: string, text: string, replacement: string): Promise<void> {
  const pieces = (await readFile(file, 'utf8')).split(text);
  if (pieces.length !== 2) throw new Error(`${file} contains ${text} ${pieces.length - 1} times`);
  await writeFile(file, pieces.join(replacement));
}
