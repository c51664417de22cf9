// A time limit of a test only ends what hangs: it judges nothing, also on a machine that is busy with other work. So there is one
// for all tests, in vitest.config.ts, ten times what the longest take; none has a shorter one of its own.

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import config from '../vitest.config.ts';

const HOME = fileURLToPath(new URL('..', import.meta.url));
const TEN_MINUTES_MS = 600_000;

/** `it('…', …, 60_000)` over several lines, and `it('…', { timeout: 60_000 }, …)`. */
const OWN_LIMIT = /^\s*\},\s*(?:\d[\d_]*|\d+ \* \w+),?\s*\);|, \{\s*timeout: [^}]+\}, (?:async )?\(/gm;

it('the limit of a test is ten minutes, and of a condition that is waited for half of that', () => {
  expect(config.test).toMatchObject({ testTimeout: TEN_MINUTES_MS, hookTimeout: TEN_MINUTES_MS });
  expect(config.test?.expect?.poll?.timeout).toBe(TEN_MINUTES_MS / 2);
});

it('no test has a limit of its own', () => {
  const files = globSync('{test,src,sim,examples}/**/*{.test,-setup}.ts', { cwd: HOME });
  expect(files.length).toBeGreaterThan(200);
  const found = files.flatMap((file) => {
    const limits = readFileSync(join(HOME, file), 'utf8').match(OWN_LIMIT) ?? [];
    return limits.map((limit) => `${file}: ${limit.trim()}`);
  });
  expect(found).toEqual([]);
});
