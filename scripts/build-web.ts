// Builds the dashboard into dist/web.   npx node scripts/build-web.ts

import { fileURLToPath } from 'node:url';
import { build } from 'vite';

await build({ configFile: fileURLToPath(new URL('../web/vite.config.ts', import.meta.url)) });
