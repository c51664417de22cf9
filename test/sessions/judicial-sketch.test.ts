// The public API suffices for judicial.ky: one small scraper file gets every judgment of the simulated court, whatever is switched
// on there.

import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type RunningJudicialKy, startJudicialKy } from '../../sim/judicial-ky/judicial-ky.ts';
import type { SwitchName, SwitchScope } from '../../sim/judicial-ky/switches.ts';
import { closing } from '../fixtures/closing.ts';
import { curlew, resultIn, runArguments, sortedRecords } from '../fixtures/curlew-process.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';

const SKETCH = fileURLToPath(new URL('../fixtures/scrapers/judicial-sketch.ts', import.meta.url));
const HASTY = fileURLToPath(new URL('../fixtures/hasty-time.ts', import.meta.url));
const scratch = scratchDirectory();

const court = async () => closing(await startJudicialKy({ cases: 60, seed: 4 }));

function runCourt(site: RunningJudicialKy) {
  const box = ['--allow-host', new URL(site.boxUrl).host];
  return curlew([...runArguments(SKETCH, site, scratch('data')), ...box], { preload: HASTY });
}

async function expectAll(site: RunningJudicialKy): Promise<void> {
  const wanted = site.corpus.wanted('v1').map(({ token }) => token.toUpperCase().replaceAll(/[^A-Z0-9]/g, ''));
  const got = (await sortedRecords(scratch('data'))).map((line) => JSON.parse(line).data);
  expect(got.map(({ token }) => token).sort()).toEqual(wanted.sort());
}

describe('the sketch of judicial.ky', () => {
  it('gets every judgment of the court, byte by byte', async () => {
    const site = await court();
    expect(resultIn(await runCourt(site))).toMatchObject({ exitCode: 0, health: 'ok' });
    await expectAll(site);
    const [first] = site.corpus.wanted('v1');
    const name = `${first?.token.toUpperCase().replaceAll(/[^A-Z0-9]/g, '')}.pdf`;
    expect(await readFile(scratch('data', 'files', 'named', name))).toEqual(site.corpus.pdf(first?.token ?? ''));
  });

  const troubles: readonly (readonly [SwitchName, SwitchScope])[] = [
    ['page-stale-nonce', {}],
    ['nonce-rotated', { count: 2, after: 10 }],
    ['cookie-lost', { count: 1, after: 10 }],
    ['ajax-minus-one', { count: 1, after: 5 }],
    ['ajax-500', { count: 2 }],
    ['ajax-reset', { count: 1 }],
    ['ajax-429', { count: 1 }],
    ['url-expired', { count: 2 }],
    ['pdf-202', { count: 2 }],
    ['pdf-redirect', { count: 5 }],
    ['pdf-403', { count: 1 }],
    ['pdf-429', { count: 1 }],
    ['pdf-500', { count: 1 }],
    ['pdf-reset', { count: 2 }],
    ['pdf-html', { count: 1 }],
    ['pdf-half', { count: 1 }],
  ];
  it.each(troubles)('gets every judgment in spite of %s', async (name, scope) => {
    const site = await court();
    site.switchOn(name, scope);
    expect(resultIn(await runCourt(site))).toMatchObject({ exitCode: 0, health: 'ok' });
    await expectAll(site);
  });
});
