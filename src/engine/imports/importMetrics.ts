import type { Metrics } from '../../base/metrics.ts';
import { countImportedRows, countImports } from '../../db/imports/importCounts.ts';
import type { Pool } from '../../db/pool.ts';

/** Metrics of imports, of all tenants. */
export function showImports(metrics: Metrics, pool: Pool): void {
  metrics.gauges('laurel_imports', 'Imports by state', ['state'], async () =>
    (await countImports(pool)).map(({ state, count }) => ({ labels: { state }, value: count })),
  );
  metrics.gauges(
    'laurel_import_rows',
    'Rows of imports by what has become of them; waiting: received, not yet applied or refused',
    ['kind', 'outcome'],
    async () =>
      (await countImportedRows(pool)).flatMap(({ kind, ...counts }) =>
        Object.entries(counts).map(([outcome, value]) => ({ labels: { kind, outcome }, value })),
      ),
  );
}
