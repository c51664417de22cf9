import { expect, it } from 'vitest';
import type { StoredRecord } from '../ledger/record-table.ts';
import { compareRecords, type RecordDiff } from './compare-records.ts';

let id = 0;
const found = (url: string, data: StoredRecord['data'], valid = true): StoredRecord => ({
  id: ++id,
  kind: 'case',
  url,
  step: 'parse',
  data,
  valid,
  errors: valid ? undefined : [],
});

async function diff(before: StoredRecord[], after: StoredRecord[]): Promise<RecordDiff[]> {
  return Array.fromAsync(compareRecords(stream(before), stream(after)));
}

async function* stream(records: StoredRecord[]) {
  yield* records;
}

it('finds nothing when only the order of pages and of keys differs', async () => {
  const before = [found('/1', { a: 1, b: { c: 2, d: 3 } }), found('/2', 2)];
  const after = [found('/2', 2), found('/1', { b: { d: 3, c: 2 }, a: 1 })];
  expect(await diff(before, after)).toEqual([]);
});

it('tells added, lost and changed records apart', async () => {
  const before = [found('/1', { n: 1 }), found('/2', { n: 2 })];
  const after = [found('/1', { n: 9 }), found('/3', { n: 3 })];
  expect((await diff(before, after)).map(({ change, url }) => [change, url])).toEqual([
    ['changed', '/1'],
    ['added', '/3'],
    ['lost', '/2'],
  ]);
});

it('compares the n-th record of a page with the n-th', async () => {
  const before = [found('/1', 'a'), found('/1', 'b')];
  expect(await diff(before, [found('/1', 'a'), found('/1', 'c')])).toMatchObject([
    { change: 'changed', before: 'b', after: 'c' },
  ]);
  expect(await diff(before, [found('/1', 'a')])).toMatchObject([{ change: 'lost', before: 'b' }]);
});

it('counts a record that became valid as changed', async () => {
  expect(await diff([found('/1', 'a', false)], [found('/1', 'a')])).toMatchObject([{ change: 'changed' }]);
});
