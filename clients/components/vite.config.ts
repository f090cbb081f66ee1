import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** An element is a file, and what all of them use is another one that a page loads once. */
const ENTRIES = ['index', 'streak', 'leaderboard', 'league', 'level', 'achievements', 'wrapped'];

export default defineConfig({
  root: here('.'),
  resolve: {
    alias: {
      'laurel-client/store': here('../typescript/dist/store.js'),
      'laurel-client': here('../typescript/dist/index.js'),
    },
  },
  plugins: [
    {
      name: 'without-admin-operations',
      // A user token calls none of them, and their names are a third of the client.
      transform: (code, id) =>
        id.endsWith('/typescript/dist/generated.js') ? code.replaceAll(/^ *admin\w+: .*\n/gm, '') : null,
    },
    {
      name: 'without-indents',
      // The minifier leaves styles and templates as they are.
      transform: (code, id) => (id.startsWith(here('src')) ? code.replaceAll(/\n\s+/g, '\n') : null),
    },
  ],
  build: {
    target: 'es2022',
    outDir: here('dist'),
    emptyOutDir: true,
    license: { fileName: 'LICENSES.md' },
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: Object.fromEntries(ENTRIES.map((name) => [name, here(`src/${name}.ts`)])),
      preserveEntrySignatures: 'strict',
      output: { entryFileNames: '[name].js', chunkFileNames: '[name].js' },
    },
  },
});
