import { spawnSync } from 'node:child_process';

export interface Commit {
  author: string;
  /** The author's clock, such as 2026-03-28T23:30:00+05:30. */
  at: string;
  /** Lines of the file that this commit makes. */
  lines: number;
}

/** A git repository with these commits, one after the other, each of one new file. */
export function createGitRepository(directory: string, commits: readonly Commit[]): void {
  git(directory, ['init', '--quiet', '--initial-branch=main']);
  const commands = commits.map(({ author, at, lines }, i) => {
    const identity = `${author} <${author}@example.com> ${Date.parse(at) / 1000} ${at.slice(19).replace(':', '')}`;
    const data = (text: string) => `data ${Buffer.byteLength(text)}\n${text}\n`;
    return [
      'commit refs/heads/main',
      `mark :${i + 1}`,
      `author ${identity}`,
      // When somebody committed it does not matter.
      'committer nobody <nobody@example.com> 0 +0000',
      `${data(`commit ${i}`)}${i > 0 ? `from :${i}\n` : ''}M 644 inline file-${i}`,
      data('line\n'.repeat(lines)),
    ].join('\n');
  });
  git(directory, ['fast-import', '--quiet'], commands.join('\n'));
}

function git(directory: string, args: string[], input = ''): void {
  const { status, stderr } = spawnSync('git', ['-C', directory, ...args], { input, encoding: 'utf8' });
  if (status !== 0) throw new Error(`git ${args[0]}: ${stderr}`);
}
