import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/**
 * Builds the program that runs into few files (docs/development.md says why). Of the packages, only typebox is
 * in it: it has the most files by far.
 */
export default defineConfig({
  ssr: { noExternal: ['typebox'] },
  build: {
    ssr: true,
    target: 'node20',
    outDir: here('dist/program'),
    emptyOutDir: true,
    license: { fileName: 'LICENSES.md' },
    rolldownOptions: {
      // The image completes PostgreSQL with a file of its own, before anything runs.
      input: { main: here('src/main.ts'), postgresBinaries: here('src/embedded/postgresBinaries.ts') },
      output: { entryFileNames: '[name].js', chunkFileNames: '[name].js' },
    },
  },
});
