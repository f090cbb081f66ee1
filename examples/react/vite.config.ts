import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** The packages of clients/ are not installed here, but taken from where npm run build puts them. */
export default defineConfig({
  root: here('.'),
  resolve: {
    alias: {
      'laurel-client/store': here('../../clients/typescript/dist/store.js'),
      'laurel-client': here('../../clients/typescript/dist/index.js'),
      'laurel-react': here('../../clients/react/dist/index.js'),
    },
  },
  build: { outDir: here('dist'), emptyOutDir: true },
});
