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
    testTimeout: 30_000,
    hookTimeout: 30_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'parts',
          include: ['src/**/*.test.ts', 'sim/**/*.test.ts', 'examples/**/*.test.ts'],
          sequence: { groupOrder: 1 },
        },
      },
      {
        // One file at a time: they start processes, and measure pace and memory of what they start.
        extends: true,
        test: { name: 'whole', include: ['test/**/*.test.ts'], fileParallelism: false, sequence: { groupOrder: 2 } },
      },
    ],
  },
});
