// The tests that must kill the mutants: those beside the mutated modules, and none that starts a process.

import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: [
      'src/engine/{judge-probe,plan-walks,settle,walk}.test.ts',
      'src/fetch/politeness/{breaker-state,circuit-breaker,retry-policy}.test.ts',
      'src/fetch/noted/*.test.ts',
      'src/fetch/robots/*.test.ts',
      'src/ledger/{frontier,health}.test.ts',
      'src/ledger/mirror/run-coverage.test.ts',
      'src/mirror/decide-retry.test.ts',
      'src/scraper/{speculate,speculation-params}.test.ts',
    ],
    testTimeout: 30_000,
  },
});
