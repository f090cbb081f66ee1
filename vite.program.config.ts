import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/**
 * Builds the program that runs: few files instead of about 1,500, of which Node resolves and reads each at
 * every start. The other packages stay outside; typebox alone would be half of all files.
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
