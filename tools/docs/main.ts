import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../src/base/packageRoot.ts';
import { generatedFiles } from './generated.ts';

/** `npm run docs` brings the generated parts of docs/ up to date. */
for (const { path, text } of generatedFiles()) writeFileSync(join(packageRoot(), path), text);
