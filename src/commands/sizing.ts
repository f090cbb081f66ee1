import type { Command } from 'commander';
import { readDemand, type SizingOptions } from '../sizing/demand.ts';
import { describeSizing } from '../sizing/describe.ts';
import { sizeFor } from '../sizing/sizing.ts';

export function addSizing(program: Command): void {
  program
    .command('sizing')
    .requiredOption('--events-per-second <events>', 'at the peak')
    .requiredOption('--users <users>', 'in all')
    .option('--events-per-day <events>', 'of an ordinary day; else the peak for a third of the day')
    .option('--keys-per-event <share>', 'share of the events that have an idempotency key, 0 to 1', '1')
    .option('--key-days <days>', 'for which Redis keeps idempotency keys', '365')
    .option('--json', 'answer as JSON')
    .description('compute the size of the machines for a load')
    .action(showSizing);
}

function showSizing({ json = false, ...options }: SizingOptions & { json?: boolean }): void {
  const sizing = sizeFor(readDemand(options));
  console.log(json ? JSON.stringify(sizing, null, 2) : describeSizing(sizing));
}
