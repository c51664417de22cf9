import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** They wait most of the time, and measure for how long. */
const PACED = ['test/**/*pace.test.ts'];
/** They measure the memory of the processes they start, or need most of the machine. */
const HEAVY = [
  'test/guarantees/g7-bounded.test.ts',
  'test/mirror/whole-court.test.ts',
  'test/security/hostile-answers.test.ts',
  'test/security/whole-memory.test.ts',
];

/** It measures how quick a start is. */
const ALONE = ['test/guarantees/g1-first-request.test.ts'];

/** Over half a minute each. Begun last, one of them would keep a single worker busy while the others are done. */
const LONG = [
  'guarantees/g1-nothing-lost',
  'power/power-cuts',
  'power/durable-cuts',
  'power/failing-calls',
  'speculation/kill',
  'e2e/browser-answers',
  'mirror/client-browser',
  'dashboard/accessibility',
  'fleet/outages',
  'e2e/cli-usage',
  'e2e/fetch',
  'docs/examples',
  'e2e/package',
  'e2e/browser-session',
  'e2e/browser-page',
  'politeness/receipt',
  'politeness/browser-polite',
  'sites/end-to-end',
  'fleet/commands',
  'mirror/cli',
].map((name) => `/test/${name}.test.ts`);

class LongOnesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => LONG.some((name) => moduleId.endsWith(name));
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

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
    maxWorkers: Math.max(3, availableParallelism() - 1),
    // These end what hangs, and judge nothing: ten times what the longest take where nothing else is at work.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 300_000 } },
    sequence: { sequencer: LongOnesFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'parts',
          // A process for each file would take longer than its tests.
          isolate: false,
          include: ['src/**/*.test.ts', 'sim/**/*.test.ts', 'examples/**/*.test.ts'],
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'whole',
          include: ['test/**/*.test.ts'],
          exclude: [...PACED, ...HEAVY, ...ALONE, '**/node_modules/**'],
          sequence: { groupOrder: 2 },
        },
      },
      {
        extends: true,
        test: { name: 'paced', include: PACED, sequence: { groupOrder: 3 } },
      },
      {
        extends: true,
        test: { name: 'heavy', include: HEAVY, maxWorkers: 2, sequence: { groupOrder: 4 } },
      },
      {
        extends: true,
        test: { name: 'alone', include: ALONE, maxWorkers: 1, sequence: { groupOrder: 5 } },
      },
    ],
  },
});
