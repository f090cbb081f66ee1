import { writeFile } from 'node:fs/promises';
import { type Command, Option } from 'commander';
import { createProgressBar } from '../base/progress.ts';
import { IMPORT_KINDS, type Import, type ImportKind } from '../contract/imports.ts';
import { importFile } from '../imports/importFile.ts';
import { runningService } from './runningService.ts';

interface Options {
  kind: ImportKind;
  merge?: 'add';
  url?: string;
  tenant?: string;
}

export function addImport(program: Command): void {
  program
    .command('import')
    .argument('<file...>', 'NDJSON, or CSV if the name ends with .csv; may be compressed by gzip')
    .addOption(
      new Option('--kind <kind>', 'what the files hold').choices([...IMPORT_KINDS]).makeOptionMandatory(),
    )
    .addOption(
      new Option(
        '--merge <how>',
        'add totals to what users have; users with events are imported, too',
      ).choices(['add']),
    )
    .option('--url <url>', 'of the service; else http://localhost:PORT')
    .option('--tenant <id>', 'your own id of a tenant')
    .description('bring users or past events from elsewhere to a running service (LAUREL_ADMIN_KEY)')
    .action(importFiles);
}

async function importFiles(files: string[], { kind, merge, url, tenant }: Options): Promise<void> {
  const service = runningService({ url, tenant });
  for (const path of files) {
    const result = await importFile(service, { path, kind, merge: merge ?? null }, createProgressBar());
    console.log(`${path}: ${textOf(result)}`);
    if (result.state !== 'done' || result.rows.refused > 0) process.exitCode = 1;
    if (result.rows.refused === 0) continue;
    const refused = await service.readRefusedRows(result.id);
    await writeFile(`${path}.refused.ndjson`, refused.map((row) => `${JSON.stringify(row)}\n`).join(''));
    console.log(`the refused rows and the reasons are in ${path}.refused.ndjson`);
  }
}

function textOf({ state, rows, rowsPerSecond }: Import): string {
  const { received, applied, refused } = rows;
  const rate = rowsPerSecond > 0 ? `, ${rowsPerSecond} rows a second` : '';
  return `${state}; ${applied} of ${received} rows applied, ${refused} refused${rate}`;
}
