// The index of a court, fetched over HTTP: versions, what they change, and what must not change anything.

import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import type { RunId } from '../../src/ledger/run.ts';
import { caseDiff, diffVersions } from '../../src/mirror/reports/diff-versions.ts';
import { unreportedJudgments } from '../../src/mirror/sources/judicial-ky/unreported-judgments.ts';
import type { Source } from '../../src/mirror/sources/source.ts';
import { SourceRegistry } from '../../src/mirror/sources/source-registry.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import { csvOf, type IndexServer, indexServer, openMirror, rows, SOURCE, type TestMirror } from './mirror-setup.ts';

const scratch = scratchDirectory();
let server: IndexServer;
let mirror: TestMirror;

beforeEach(async () => {
  server = await indexServer();
  mirror = await openMirror(scratch('data'), server);
});

const activeTokens = async () =>
  (await mirror.mirror.cases(SOURCE)).filter(({ isActive }) => isActive).map((known) => known.actionTokenNorm);

describe('a sync', () => {
  it('keeps the bytes, the version and a case for each row', async () => {
    const csv = csvOf(rows(3));
    server.serve(csv, { etag: '"one"' });
    const result = await mirror.sync();
    expect(result).toMatchObject({ isNewVersion: true, changedCaseIds: [], removedCaseIds: [], refused: undefined });
    expect(result.newCaseIds).toHaveLength(3);
    const sha256 = createHash('sha256').update(csv).digest('hex');
    expect(await readdir(mirror.directory.csv)).toEqual([`${SOURCE}_20260101T000001Z_${sha256.slice(0, 8)}.csv`]);
    expect(readFileSync(result.csvPath, 'utf8')).toBe(csv);
    expect(await mirror.mirror.version(result.versionId)).toMatchObject({
      source: SOURCE,
      fetchedAt: '2026-01-01T00:00:01.000Z',
      sourceUrl: server.url,
      etag: '"one"',
      sha256,
      rowCount: 3,
      valid: true,
      errorMessage: null,
    });
  });

  it('asks for news only, and makes no version of the same bytes', async () => {
    server.serve(csvOf(rows(3)), { etag: '"one"' });
    const first = await mirror.sync();
    expect(await mirror.sync()).toMatchObject({
      versionId: first.versionId,
      isNewVersion: false,
      csvPath: first.csvPath,
    });
    expect(server.requests.at(-1)?.headers['if-none-match']).toBe('"one"');
    server.serve(csvOf(rows(3)), { etag: '"two"' });
    expect(await mirror.sync()).toMatchObject({ versionId: first.versionId, isNewVersion: false });
    expect(await mirror.mirror.versions(SOURCE, 10)).toHaveLength(1);
  });

  it('shows 7 added, 3 removed and 2 retitled, and one that comes back, at any later time', async () => {
    const first = rows(40);
    const second = [
      ...first.slice(3).map((row, index) => (index < 2 ? { ...row, title: `Retitled ${index}` } : row)),
      ...rows(7, 101),
    ];
    server.serve(csvOf(first));
    const { versionId: v1 } = await mirror.sync();
    server.serve(csvOf(second));
    const result = await mirror.sync();
    expect([result.newCaseIds, result.removedCaseIds, result.changedCaseIds].map((ids) => ids.length)).toEqual([
      7, 3, 2,
    ]);
    server.serve(csvOf([...second, ...first.slice(0, 1)]));
    const { versionId: v3, returnedCaseIds, newCaseIds } = await mirror.sync();
    expect([returnedCaseIds.length, newCaseIds.length]).toEqual([1, 0]);

    const diff = await diffVersions(mirror.mirror, v1, result.versionId);
    expect(diff.new_cases.map((known) => known.actions_token)).toEqual(rows(7, 101).map(({ token }) => token));
    expect(diff.removed_cases.map((known) => known.actions_token)).toEqual(['T0001', 'T0002', 'T0003']);
    expect(diff.changed_cases.map(({ fields }) => fields)).toEqual([
      [{ field: 'title', old: 'Re T0004', new: 'Retitled 0' }],
      [{ field: 'title', old: 'Re T0005', new: 'Retitled 1' }],
    ]);
    expect(await diffVersions(mirror.mirror, result.versionId, v1)).toMatchObject({
      new_cases: { length: 3 },
      removed_cases: { length: 7 },
      changed_cases: [{ fields: [{ old: 'Retitled 0', new: 'Re T0004' }] }, {}],
    });
    expect(await caseDiff(mirror.mirror, v3)).toMatchObject({
      csv_version_id: v3,
      new_count: 1,
      removed_count: 0,
      new_cases: [{ actions_token: 'T0001', returned: true }],
    });
    const over = await diffVersions(mirror.mirror, v1, v3);
    expect(over.removed_cases.map((known) => known.actions_token)).toEqual(['T0002', 'T0003']);
    const known = await mirror.mirror.findCase(SOURCE, 'T0001');
    if (known === undefined) throw new Error('the case is gone');
    expect((await mirror.mirror.historyOf(known.id)).map(({ change }) => change)).toEqual([
      'added',
      'removed',
      'returned',
    ]);
  });

  it('says of a version that there is none', async () => {
    await expect(caseDiff(mirror.mirror, 99)).rejects.toMatchObject({ code: 'csv_version_not_found' });
  });

  it('goes back to earlier bytes as a version of its own', async () => {
    const [one, two] = [csvOf(rows(10)), csvOf(rows(11))];
    for (const csv of [one, two, one]) {
      server.serve(csv);
      await mirror.sync();
    }
    expect(await activeTokens()).toHaveLength(10);
    expect(await mirror.mirror.versions(SOURCE, 10)).toHaveLength(3);
  });

  it('does not take a case for gone whose row cannot be read', async () => {
    const good = csvOf(rows(40).map(({ token }) => ({ token, title: '"Re X, Ltd"' })));
    server.serve(good);
    await mirror.sync();
    // A quote that is not closed makes one row of two.
    server.serve(good.replace('"Re X, Ltd"', '"Re X, Ltd'));
    const { removedCaseIds, unreadable } = await mirror.sync();
    expect([unreadable.length, removedCaseIds]).toEqual([1, []]);
    expect(await activeTokens()).toHaveLength(40);
  });

  it('makes one case of a token that stands there twice, three of three with one title, and says so', async () => {
    server.serve(
      csvOf([
        { token: 'A1', title: 'Re X' },
        { token: 'B2', title: 'Re X' },
        { token: 'C3', title: 'Re X' },
        { token: 'c-3', title: 'Re X' },
      ]),
    );
    const { duplicates, newCaseIds } = await mirror.sync();
    expect(newCaseIds).toHaveLength(3);
    expect(duplicates).toEqual([{ tokenNorm: 'C3', raw: ['C3', 'c-3'], lines: [4, 5] }]);
    expect(readFileSync(scratch('data', 'logs', 'latest.log'), 'utf8')).toMatch(
      /\[SCRAPER\]\[DECISION\] .*decision=duplicate_token token_norm=C3/,
    );
  });

  it('stores a version, its cases and what is odd in it as one fact', async () => {
    server.serve(csvOf([...rows(2), { token: 't0001' }]));
    // An event of a run that is not there cannot be stored.
    await expect(mirror.sync({ run: 99 as RunId })).rejects.toThrow('FOREIGN KEY');
    expect([await mirror.mirror.versions(SOURCE, 9), await mirror.mirror.cases(SOURCE)]).toEqual([[], []]);
    expect(await mirror.sync()).toMatchObject({ isNewVersion: true, newCaseIds: [1, 2], duplicates: [{}] });
  });
});

describe('an index that cannot be used', () => {
  const good = csvOf(rows(100));
  const bad: [string, string, { status?: number; type?: string }, RegExp][] = [
    ['is a header without rows', csvOf([]), {}, /header and no rows/],
    ['is half of what it was', csvOf(rows(49)), {}, /51 of 100 active cases would vanish/],
    ['is cut off in its last row', good.replace(/,[^,]*\r\n$/, ''), {}, /cut off: line 101/],
    ['is an HTML page', '<html><body>Maintenance</body></html>', { type: 'text/html' }, /HTML page/],
    ['is not served', 'down', { status: 503 }, /could not be fetched: .*503/],
    ['is not there', 'gone', { status: 404 }, /could not be fetched: .*404/],
    ['has lost a column', good.replaceAll(/,[^,]*\r\n/g, '\r\n'), {}, /no column Actions/],
    [
      'cannot be read for the most part',
      good.replaceAll(/,(T00[0-4]\d)\r\n/g, ',a,$1\r\n'),
      {},
      /only \d+ of 100 rows/,
    ],
    ['is empty', '', {}, /empty/],
  ];

  it.for(bad)(
    '%s: it is kept as invalid, no case is touched, and the last good one is used',
    async ([, body, options, why]) => {
      server.serve(good);
      const { versionId } = await mirror.sync();
      const before = await mirror.mirror.cases(SOURCE);
      server.serve(body, options);
      const result = await mirror.sync();
      expect(result).toMatchObject({ versionId, isNewVersion: false, newCaseIds: [], removedCaseIds: [] });
      expect(result.refused?.reason).toMatch(why);
      expect(await mirror.mirror.version(result.refused?.versionId ?? 0)).toMatchObject({
        valid: false,
        errorMessage: expect.stringMatching(why),
      });
      expect(await mirror.mirror.cases(SOURCE)).toEqual(before);
      // Its validators are not sent, so that it is not taken for current the next time.
      server.serve(csvOf(rows(101)));
      expect(await mirror.sync()).toMatchObject({ isNewVersion: true, refused: undefined });
      expect(await activeTokens()).toHaveLength(101);
    },
  );

  it.for(bad.filter(([name]) => !name.startsWith('is half')))(
    '%s: without an earlier one that is an error',
    async ([, body, options]) => {
      server.serve(body, options);
      await expect(mirror.sync()).rejects.toMatchObject({ code: 'no_index' });
      expect(await mirror.mirror.cases(SOURCE)).toEqual([]);
      expect(await mirror.mirror.versions(SOURCE, 10)).toMatchObject([{ valid: false }]);
    },
  );

  it('is one version however often it comes, and its file is one', async () => {
    server.serve(good);
    await mirror.sync();
    server.serve(csvOf([]), { etag: '"empty"' });
    const ids = [await mirror.sync(), await mirror.sync()].map(({ refused }) => refused?.versionId);
    expect(new Set(ids).size).toBe(1);
    expect(await readdir(mirror.directory.csv)).toHaveLength(2);
  });

  it('is taken over when a person says that it may shrink', async () => {
    server.serve(good);
    await mirror.sync();
    server.serve(csvOf(rows(50)));
    expect((await mirror.sync()).refused).toBeDefined();
    const { isNewVersion, removedCaseIds, csvPath } = await mirror.sync({ acceptShrink: true });
    expect([isNewVersion, removedCaseIds.length, existsSync(csvPath)]).toEqual([true, 50, true]);
  });

  it('is not one from which exactly a fifth is gone, nor one in twenty of whose rows are unreadable', async () => {
    server.serve(good);
    await mirror.sync();
    server.serve(csvOf(rows(80)));
    expect((await mirror.sync()).removedCaseIds).toHaveLength(20);
    server.serve(csvOf([...rows(76), ...rows(4).map((row) => ({ ...row, token: '—' }))]));
    expect((await mirror.sync()).unreadable).toHaveLength(4);
  });
});

describe('a source of its own', () => {
  it('needs its own description and nothing else', async () => {
    const toy: Source = {
      ...unreportedJudgments,
      id: 'toy_court',
      aliases: ['toy'],
      columns: { ...unreportedJudgments.columns, actions: ['Document'], category: ['Kind'] },
      indexUrl: () => server.url,
    };
    server.serve('Document,Title,Kind\nX1,One,Civil\nX2,Two,Criminal\n');
    const found = new SourceRegistry([unreportedJudgments, toy]).require('Toy');
    await mirror.sync({ source: found });
    expect((await mirror.mirror.cases('toy_court')).map((known) => [known.actionTokenNorm, known.isCriminal])).toEqual([
      ['X1', false],
      ['X2', true],
    ]);
    expect(await mirror.mirror.cases(SOURCE)).toEqual([]);
  });
});
