import { spawn } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../../../src/base/packageRoot.ts';
import type { Failure } from '../shrink.ts';
import { ALL_MUTANTS } from './allMutants.ts';
import type { Mutant } from './mutant.ts';

/** What a program needs to run apart from its modules. */
const PARTS = ['dist', 'lua', 'demo', 'docs', 'package.json', 'src/db/migrations'];

/** The result of one mutant. */
interface Fate {
  mutant: Mutant;
  seconds: number;
  /** Seed and step of the world that showed it, the call and the field; null if none did. */
  shownBy: string | null;
}

export interface MutantsOptions {
  /** First seed of the worlds. Each mutant lives in the same ones. */
  seed: number;
  steps: number;
  /** How often parts break. */
  faults: number;
  /** A mutant that lives longer survives. */
  minutes: number;
  /** Only mutants whose file or rule contains one of these texts, apart by commas. */
  only: string;
}

/**
 * Breaks one rule after the other in a copy of the program, and simulates worlds with it until one shows a
 * difference.
 * @returns number of mutants that survive
 */
export async function runMutants({ only, ...options }: MutantsOptions): Promise<number> {
  const directory = await mkdtemp(join(tmpdir(), 'laurel-mutants-'));
  const texts = only.split(',');
  const chosen = ALL_MUTANTS.filter(({ file, rule }) =>
    texts.some((text) => `${file} ${rule}`.includes(text)),
  );
  const fates: Fate[] = [];
  try {
    for (const part of PARTS) await cp(join(packageRoot(), part), join(directory, part), { recursive: true });
    await symlink(join(packageRoot(), 'node_modules'), join(directory, 'node_modules'));
    const unbroken = { file: 'package.json', rule: 'nothing', from: '"description"', to: '"description"' };
    const { shownBy } = await runMutant(directory, unbroken, { ...options, minutes: 0.1 });
    if (shownBy !== null) throw new Error(`without a mistake, ${shownBy} differs`);
    for (const mutant of chosen) {
      const fate = await runMutant(directory, mutant, options);
      fates.push(fate);
      const { shownBy, seconds } = fate;
      console.log(`${mutant.file}: ${mutant.rule} | ${shownBy ?? 'SURVIVES'} | ${Math.round(seconds)} s`);
    }
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
  const survivors = fates.filter(({ shownBy }) => shownBy === null).length;
  console.log(`${fates.length} mutants, ${survivors} survive`);
  return survivors;
}

async function runMutant(
  directory: string,
  mutant: Mutant,
  { seed, steps, faults, minutes }: Omit<MutantsOptions, 'only'>,
): Promise<Fate> {
  const path = join(directory, pathOfMutant(mutant));
  const whole = await readFile(path, 'utf8');
  const out = join(directory, 'failure.json');
  await rm(out, { force: true });
  await writeFile(path, mutated(whole, mutant));
  const begin = performance.now();
  let ended: { code: number | null; lastError: string } = { code: null, lastError: '' };
  try {
    const { frequent, isWide } = mutant;
    const args = { seed, steps, faults, minutes, shrink: 0, out, ...(frequent && { frequent }) };
    const named = Object.entries(args).flatMap(([name, value]) => [`--${name}`, String(value)]);
    ended = await run(directory, [...named, ...(isWide ? ['--wide'] : [])]);
  } finally {
    await writeFile(path, whole);
  }
  const shownBy = await readFile(out, 'utf8').then(
    (text) => {
      const { world, finding } = JSON.parse(text) as Failure;
      const call = finding.call.split(' ').slice(0, 2).join(' ');
      return `seed ${world.seed}, step ${finding.step}: ${call} ${finding.path}`;
    },
    () => (ended.code === 0 ? null : `the service cannot go on: ${ended.lastError}`),
  );
  return { mutant, seconds: (performance.now() - begin) / 1000, shownBy };
}

/** Where a mutant stands in what runs. */
export const pathOfMutant = ({ file }: Mutant): string =>
  file.endsWith('.ts') ? join('dist', file.replace(/ts$/, 'js')) : file;

export function mutated(whole: string, { from, to }: Mutant): string {
  if (whole.split(from).length !== 2) throw new Error(`"${from}" does not stand exactly once`);
  return whole.replace(from, () => to);
}

/**
 * Ends with the simulation, which fails if it finds a difference or cannot go on.
 * @returns its code, and the last error that it has written
 */
function run(
  directory: string,
  args: readonly string[],
): Promise<{ code: number | null; lastError: string }> {
  const simulation = join(directory, 'dist/test/simulator/main.js');
  const child = spawn(process.execPath, [simulation, ...args], {
    cwd: directory,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let lastError = '';
  child.stderr.on('data', (chunk) => {
    lastError = /^\S*Error.*$/m.exec(String(chunk))?.[0] ?? lastError;
  });
  return new Promise((resolve, reject) => {
    child.on('exit', (code) => resolve({ code, lastError }));
    child.on('error', reject);
  });
}
