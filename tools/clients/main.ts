import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../src/base/packageRoot.ts';
import { generateClient } from './generateClient.ts';

/** `npm run build` generates the types of the client from the OpenAPI document. */
writeFileSync(join(packageRoot(), 'clients/typescript/src/generated.ts'), generateClient());
