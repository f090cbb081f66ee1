#!/usr/bin/env node
import { tooOld } from './base/nodeVersion.ts';

// An older Node cannot even load the program, so that it is asked first.
const fault = tooOld(process.versions.node);
if (fault === null) {
  await import('./program.ts');
} else {
  process.stderr.write(`laurel: ${fault}\n`);
  process.exitCode = 1;
}
