import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const ALONE = [
  'test/**/*pace.test.ts',
  'test/guarantees/{g1-first-request,g7-bounded}.test.ts',
  'test/mirror/whole-court.test.ts',
  'test/security/hostile-answers.test.ts',
];

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
    // Even where there are two cores only: much of the time of these tests is waiting.
    maxWorkers: Math.max(2, availableParallelism() - 1),
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
        extends: true,
        test: { name: 'whole', include: ['test/**/*.test.ts'], exclude: ALONE, sequence: { groupOrder: 2 } },
      },
      {
        // One file at a time: they measure the pace or the memory of the processes they start, or need all of the machine.
        extends: true,
        test: { name: 'alone', include: ALONE, fileParallelism: false, sequence: { groupOrder: 3 } },
      },
    ],
  },
});
