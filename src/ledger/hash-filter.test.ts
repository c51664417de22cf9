import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { HashFilter } from './hash-filter.ts';

const shaOf = (name: number) => hash('sha256', String(name), 'buffer');

describe('the filter of hashes', () => {
  it('never says no of one that was added', () => {
    const filter = new HashFilter();
    for (let name = 0; name < 50_000; name++) filter.add(shaOf(name));
    for (let name = 0; name < 50_000; name++) expect(filter.mayHave(shaOf(name))).toBe(true);
  });

  it('says no of nearly all others', () => {
    const filter = new HashFilter();
    for (let name = 0; name < 100_000; name++) filter.add(shaOf(name));
    let wrong = 0;
    for (let name = 100_000; name < 110_000; name++) if (filter.mayHave(shaOf(name))) wrong++;
    expect(wrong).toBeLessThan(100);
  });
});
