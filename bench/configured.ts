import { parseConfigFile } from '../src/admin/files/readConfigFile.ts';
import type { Target } from './target.ts';

/** Parts of a configuration whose items have keys. */
const PARTS = ['metrics', 'achievements', 'points', 'leaderboards'] as const;

type Keyed = Partial<Record<(typeof PARTS)[number], { key: string }[]>>;

/**
 * A service that runs elsewhere is never configured by a benchmark.
 * @param expected text of bench/config.yaml
 * @throws Error if the service lacks what the scenarios use
 */
export async function assertConfigured(target: Target, expected: string): Promise<void> {
  const wanted: Keyed = parseConfigFile(expected, 'bench/config.yaml');
  const present = (await target.call('GET', '/admin/v1/config')) as Keyed;
  const missing = PARTS.flatMap((part) => {
    const keys = new Set(present[part]?.map(({ key }) => key));
    return (wanted[part] ?? []).filter(({ key }) => !keys.has(key)).map(({ key }) => `${part} ${key}`);
  });
  if (missing.length > 0) {
    throw new Error(`the service has no ${missing.join(', ')}; apply bench/config.yaml to it (laurel apply)`);
  }
}
