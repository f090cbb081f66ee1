import { type Bench, type Child, median, openBench, ROUNDS } from './bench.ts';
import type { LoadResult } from './load.ts';
import type { Print } from './report.ts';
import { recordEvents } from './requests.ts';

const TYPES = ['achievement_completed', 'streak_reminder', 'recap', 'reactivation'];

interface Side {
  bench: Bench;
  server: Child;
  results: LoadResult[];
}

/**
 * Measures what full events with a worker beside them pay for notifications of all types through both channels. Two installations take
 * turns, so that other load on the machine affects both.
 */
export async function measureNotifications(bench: Bench, print: Print): Promise<void> {
  const other = await openBench();
  const without: Side = { bench, server: await bench.start('server'), results: [] };
  const configured: Side = { bench: other, server: await other.start('server'), results: [] };
  await activateAll(configured);
  // Round 0 is the warm-up.
  for (let round = 0; round <= ROUNDS; round++) {
    for (const side of [without, configured]) {
      const worker = await side.bench.start('worker');
      const result = await recordEvents(side.bench, side.server);
      await worker.stop();
      await side.bench.dropOutbox();
      if (round > 0) side.results.push(result);
    }
  }
  await Promise.all([without.server.stop(), configured.server.stop()]);
  await other.close();
  const [before, after] = [without, configured].map(({ results }) => median(results, (one) => one.requestsPerSecond));
  const perSecond = (result: LoadResult): number => Math.round(result.requestsPerSecond);
  const ratio = after!.requestsPerSecond / before!.requestsPerSecond;
  print(
    `Full events with a worker: ${perSecond(before!)}/s without notifications, ${perSecond(after!)}/s with all types through both channels: ${ratio.toFixed(2)} of the former\n`,
  );
}

async function activateAll({ bench, server }: Side): Promise<void> {
  const templates = TYPES.flatMap((type) =>
    ['email', 'push'].map((channel) => ({ name: `${type} ${channel}`, type, channel, status: 'active' })),
  );
  const response = await fetch(`${server.url}/admin/v1/notifications/templates`, {
    method: 'POST',
    headers: { 'X-API-KEY': bench.apiKey, 'Content-Type': 'application/json' },
    body: JSON.stringify(templates),
  });
  if (response.status !== 201) throw new Error(`templates: ${response.status} ${await response.text()}`);
}
