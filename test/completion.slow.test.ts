import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { packageRoot } from '../src/base/packageRoot.ts';
import { findOnPath } from '../src/embedded/commands.ts';

const laurel = (...args: string[]): string =>
  execFileSync(process.execPath, [join(packageRoot(), 'dist', 'src', 'main.js'), ...args], {
    encoding: 'utf8',
  });

describe('bash', () => {
  const script = laurel('completion', 'bash');
  /** What bash offers for the last word. */
  const offers = (...words: string[]): string[] => {
    const line = ['laurel', ...words].map((word) => `'${word}'`).join(' ');
    const ask = `COMP_WORDS=(${line}); COMP_CWORD=${words.length}; _laurel; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const output = execFileSync('bash', ['--norc', '-c', `${script}\n${ask}`], { encoding: 'utf8' });
    return output.split('\n').filter(Boolean);
  };

  test('completes commands, commands below them, and their options', () => {
    expect(offers('')).toEqual(expect.arrayContaining(['start', 'server', 'worker', 'apply', 'completion']));
    expect(offers('re')).toEqual(['restore-backup', 'restore', 'replay', 'retention']);
    expect(offers('dead', '')).toEqual(['list', 'replay']);
    expect(offers('dead', 'replay', '--s')).toEqual(['--since']);
    expect(offers('apply', '--dry')).toEqual(['--dry-run']);
    expect(offers('apply', 'file.yaml', '--pr')).toEqual(['--prune']);
  });

  test('leaves other words to file names', () => {
    expect(offers('apply', 'demo/')).toEqual([]);
  });
});

test('zsh gets the same by its functions for bash', () => {
  const [first, ...rest] = laurel('completion', 'zsh').split('\n');
  expect(first).toBe('autoload -U +X bashcompinit && bashcompinit');
  expect(rest.join('\n')).toBe(laurel('completion', 'bash'));
});

test('fish gets a line for each command and option', () => {
  const lines = laurel('completion', 'fish').split('\n');
  expect(lines).toContainEqual(
    expect.stringMatching(/^complete -c laurel -n '__fish_use_subcommand' -a start -d '/),
  );
  expect(lines).toContainEqual(
    expect.stringMatching(
      /^complete -c laurel -n '__fish_seen_subcommand_from dead; and __fish_seen_subcommand_from replay' -l since -d '/,
    ),
  );
  if (findOnPath('fish') !== null) execFileSync('fish', ['--no-execute'], { input: lines.join('\n') });
});

test('another shell is refused with those that there are', () => {
  expect(() => laurel('completion', 'tcsh')).toThrow(/Allowed choices are bash, zsh, fish/);
});
