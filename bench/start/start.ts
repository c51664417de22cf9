// How long a command takes to begin: `curlew --help` and the like, against Node doing nothing. Medians of runs that take turns,
// so that a noisy machine hits all. The bar is 150 ms for `curlew --help`.
//   npx node bench/start/start.ts [--rounds 20]

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const BIN = fileURLToPath(new URL('../../bin/curlew.js', import.meta.url));
const STARTS: Readonly<Record<string, readonly string[]>> = {
  'node -e 0': ['-e', '0'],
  'curlew --help': [BIN, '--help'],
  'curlew run --help': [BIN, 'run', '--help'],
  'curlew mirror --help': [BIN, 'mirror', '--help'],
  'curlew serve --help': [BIN, 'serve', '--help'],
};

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '20' } } });
const rounds = Number(values.rounds);

const times = new Map<string, number[]>();
// One more, which is not counted: it fills the caches.
for (let round = 0; round <= rounds; round++) {
  for (const [name, args] of Object.entries(STARTS)) {
    const begun = performance.now();
    const { status } = spawnSync(process.execPath, args, { stdio: 'ignore' });
    if (status !== 0) throw new Error(`${name} left with ${status}`);
    if (round > 0) times.set(name, [...(times.get(name) ?? []), performance.now() - begun]);
  }
}
for (const [name, ms] of times) {
  const sorted = ms.toSorted((a, b) => a - b);
  console.log(
    `${name.padEnd(22)} median ${sorted[Math.floor(rounds / 2)]?.toFixed(0)} ms, least ${sorted[0]?.toFixed(0)} ms`,
  );
}
