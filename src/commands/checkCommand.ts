import type { Command } from 'commander';
import { createProgressBar, noProgress } from '../base/progress.ts';
import { type CheckReport, check } from '../check/check.ts';
import { withStores } from './commandStores.ts';

export function addCheck(program: Command): void {
  program
    .command('check')
    .option('--all', 'compare every user and ranking, not a sample of each tenant')
    .option('--json', 'print the report as JSON')
    .description('compare Redis with PostgreSQL and name differences; ends with code 1 if there are any')
    .action(checkStores);
}

async function checkStores({ all = false, json = false }: { all?: boolean; json?: boolean }): Promise<void> {
  const report = await withStores('check', ({ pool, redis }) =>
    check({ pool, redis, all, progress: json ? noProgress : createProgressBar() }),
  );
  console.log(json ? JSON.stringify(report, null, 2) : describeCheck(report));
  if (Object.keys(report.counts).length > 0) process.exitCode = 1;
}

function describeCheck({ users, rankings, unsettled, counts, differences }: CheckReport): string {
  const lines = differences.map(({ kind, tenant, userId, text }) => {
    const user = userId === null ? '' : ` user ${JSON.stringify(userId)}`;
    return `${kind}:${tenant === null ? '' : ` tenant ${tenant}`}${user} ${text}`;
  });
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  if (total > differences.length) lines.push(`… and ${total - differences.length} more`);
  const skipped = unsettled === 0 ? '' : `, ${unsettled} more changed too often to be compared`;
  lines.push(`compared ${users - unsettled} users and ${rankings} rankings${skipped}: ${total} differences`);
  return lines.join('\n');
}
