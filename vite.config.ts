import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { formSchemas } from './src/contract/formSchemas.ts';

const { version } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'));
const inConsole = (name: string): string => fileURLToPath(new URL(`src/console/${name}`, import.meta.url));

/**
 * Builds the console. Its forms come from the schemas of the contract, as JSON: the schema library stays
 * outside.
 */
export default defineConfig({
  root: inConsole('.'),
  base: '/console/',
  define: {
    __FORM_SCHEMAS__: JSON.stringify(formSchemas()),
    __VERSION__: JSON.stringify(version),
  },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: fileURLToPath(new URL('dist/console', import.meta.url)),
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: { input: [inConsole('index.html'), inConsole('preview.html')] },
  },
});
