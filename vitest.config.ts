import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const source = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  resolve: {
    alias: [
      { find: /^curlew$/, replacement: source('./src/index.ts') },
      { find: /^curlew\/testing$/, replacement: source('./src/testing.ts') },
      { find: /^curlew\/robots$/, replacement: source('./src/robots.ts') },
    ],
  },
  test: {
    include: ['src/**/*.test.ts', 'sim/**/*.test.ts', 'test/**/*.test.ts', 'examples/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
