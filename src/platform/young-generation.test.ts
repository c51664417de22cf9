import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';

/** What V8 takes for young objects in a process where each object lives through a few thousand others. */
function youngBytesOf(start: string): number {
  const module = JSON.stringify(new URL('young-generation.ts', import.meta.url).href);
  const program = `
    import { boundYoungGeneration, youngBytes } from ${module};
    ${start}
    const alive = [];
    for (let round = 0; round < 1_200; round++) {
      for (let i = 0; i < 5_000; i++) alive[(round * 5_000 + i) % 500_000] = { round, i, name: [round, i] };
      await new Promise(setImmediate);
    }
    console.log(youngBytes());`;
  const args = ['--no-warnings', '--max-semi-space-size=64', '--input-type=module-typescript', '-e', program];
  return Number(execFileSync(process.execPath, args, { encoding: 'utf8' }));
}

describe('the young generation', () => {
  it('grows to what V8 likes, and no further than 32 MB once it is bounded', () => {
    expect(youngBytesOf('')).toBeGreaterThan(48 * 2 ** 20);
    expect(youngBytesOf('boundYoungGeneration();')).toBeLessThan(48 * 2 ** 20);
  });
});
