import type { Command } from 'commander';
import { createProgressBar } from '../base/progress.ts';
import { listFaults, replay } from '../replay/replay.ts';
import { runningService } from './runningService.ts';

export function addReplay(program: Command): void {
  program
    .command('replay')
    .argument('<file>', 'one event a line, in JSON, in the order in which they happened')
    .option('--url <url>', 'of the service, which needs LAUREL_TEST_CLOCK; else http://localhost:PORT')
    .option('--tenant <id>', 'your own id of a tenant')
    .description('let a history happen on a running service, by the test clock (LAUREL_ADMIN_KEY)')
    .action(replayHistory);
}

async function replayHistory(
  file: string,
  { url, tenant }: { url?: string; tenant?: string },
): Promise<void> {
  const service = runningService({ url, tenant });
  const { sent, before, refused, now } = await replay(file, service, createProgressBar());
  if (refused.length > 0)
    console.log(`the service refused ${refused.length} events:\n${listFaults(refused)}`);
  const earlier = before > 0 ? `, ${before} had been before` : '';
  console.log(`replayed ${sent} events${earlier}; time stands still at ${new Date(now).toISOString()}`);
}
