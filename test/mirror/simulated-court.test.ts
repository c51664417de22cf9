// The index of the simulated court, as careless as the real one, through time: every case once, and the changes as they are.

import { describe, expect, it } from 'vitest';
import { type RunningJudicialKy, startJudicialKy } from '../../sim/judicial-ky/judicial-ky.ts';
import { normalizeActionToken } from '../../src/mirror/csv/normalize-action-token.ts';
import { diffVersions } from '../../src/mirror/reports/diff-versions.ts';
import { closing } from '../fixtures/closing.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import { openMirror, SOURCE, type TestMirror } from './mirror-setup.ts';

const scratch = scratchDirectory();

async function open(cases: number): Promise<{ court: RunningJudicialKy; mirror: TestMirror }> {
  const court = closing(await startJudicialKy({ cases }));
  const mirror = await openMirror(scratch('data'), { url: court.csvUrl, requests: [], serve() {} });
  return { court, mirror };
}

const tokensOf = (cases: readonly { readonly token: string }[]) =>
  cases.map(({ token }) => normalizeActionToken(token)).sort();

describe('the index of the simulated court', () => {
  it('gives every case once, with its title, and those that are criminal as such', async () => {
    const { court, mirror } = await open(4_300);
    const { duplicates, unreadable, refused } = await mirror.sync();
    expect(refused).toBeUndefined();
    const stored = await mirror.mirror.cases(SOURCE);
    const expected = court.corpus.active('v1');
    expect(stored.map((known) => known.actionTokenNorm).sort()).toEqual(tokensOf(expected));
    expect(
      stored
        .filter(({ isCriminal }) => !isCriminal)
        .map((known) => known.actionTokenNorm)
        .sort(),
    ).toEqual(tokensOf(court.corpus.wanted('v1')));
    expect(duplicates.length).toBeGreaterThan(10);
    expect(unreadable.every(({ reason }) => reason === 'no token')).toBe(true);
    expect((await mirror.worklist()).planned).toHaveLength(court.corpus.wanted('v1').length);
  });

  it('shows what v2 and v3 changed', async () => {
    const { court, mirror } = await open(100);
    const { corpus } = court;
    const { versionId: v1 } = await mirror.sync();
    court.travelTo('v2');
    const { versionId: v2 } = await mirror.sync();
    court.travelTo('v3');
    const { versionId: v3, returnedCaseIds } = await mirror.sync();
    const diff = await diffVersions(mirror.mirror, v1, v2);
    expect(diff.new_cases.map((known) => known.actions_token).sort()).toEqual(tokensOf(corpus.added));
    expect(diff.removed_cases.map((known) => known.actions_token).sort()).toEqual(tokensOf(corpus.removed));
    expect(diff.changed_cases.map((known) => known.actions_token).sort()).toEqual(tokensOf(corpus.retitled));
    expect(returnedCaseIds).toHaveLength(1);
    expect((await diffVersions(mirror.mirror, v1, v3)).removed_cases).toHaveLength(2);
  });

  it.for(['csv-503', 'csv-html', 'csv-header-only', 'csv-half'] as const)('is refused with %s', async (name) => {
    const { court, mirror } = await open(100);
    const { versionId } = await mirror.sync();
    court.travelTo('v2');
    court.switchOn(name);
    expect(await mirror.sync()).toMatchObject({ versionId, refused: { reason: expect.any(String) } });
    expect((await mirror.mirror.cases(SOURCE)).filter(({ isActive }) => isActive)).toHaveLength(100);
  });
});
