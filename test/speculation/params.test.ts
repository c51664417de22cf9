// What a consumer may set, checked by the compiler and, for those who do not use one, at run time.

import { type AnyScraperParams, CurlewError, entry, get, type Page, run, Scraper, speculate } from 'curlew';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { newData } from './numbered-site.ts';

class Court extends Scraper {
  baseUrl = 'https://court.example';
  byNumber = speculate({ highestObserved: 500, largestObservedGap: 20, observationDate: '2025-01-15' }, (id) =>
    get(`/case/${id}`, this.readCase),
  );
  appeals = speculate({}, (id) => get(`/appeal/${id}`, this.readCase));
  byYear = speculate.partitioned({ year: [2023, 2026], division: ['civil', 'criminal'] }, {}, (partition, id) => {
    const year: number = partition.year;
    const division: string = partition.division;
    // @ts-expect-error: there is no such dimension
    partition.month;
    return get(`/${division}/${year}/${id}`, this.readCase);
  });
  recent = entry(z.object({ since: z.iso.date() }), ({ since }) => get(`/recent?since=${since}`, this.readCase));
  *readCase(_page: Page) {}
}

describe('the types', () => {
  it('know the speculators of the scraper', () => {
    const params = Court.params();
    params.speculative.byNumber.definiteRange = [100, 200];
    params.speculative.byYear.plus = 50;
    const typed: AnyScraperParams = params;
    expect(new Court(params).params).toBe(typed);
  });

  it('refuse a misspelt name, an entry, a step, and what is no setting', () => {
    const params = Court.params();
    // @ts-expect-error: misspelt
    expect(() => params.speculative.byNumbr).toThrow(CurlewError);
    // @ts-expect-error: an entry is no speculator
    expect(() => params.speculative.recent).toThrow(CurlewError);
    // @ts-expect-error: nor is a step
    expect(() => params.speculative.readCase).toThrow(CurlewError);
    // @ts-expect-error: a setting of another name
    params.speculative.byNumber.gap = 5;
    // @ts-expect-error: a range has two ends
    params.speculative.byNumber.definiteRange = [5];
    // @ts-expect-error: not a request
    speculate({}, (id) => `/case/${id}`);
  });
});

describe('params()', () => {
  it('has empty settings for every speculator', () => {
    expect(JSON.parse(JSON.stringify(Court.params()))).toEqual({
      entries: {},
      speculative: { byNumber: {}, appeals: {}, byYear: {} },
    });
  });

  it('answers a misspelt name with the names there are, when it is read and when it is set', () => {
    const speculative = Court.params().speculative as Record<string, object>;
    const message = 'Court has no speculator named byNumbr.';
    const remedy = 'Did you mean byNumber? Its speculators are: byNumber, appeals, byYear.';
    expect(() => speculative.byNumbr).toThrow(expect.objectContaining({ message, remedy }));
    expect(() => {
      speculative.byNumbr = {};
    }).toThrow(expect.objectContaining({ message, remedy }));
  });

  it('can be written by hand, and is checked all the same', async () => {
    const begin = async (speculative: object) =>
      run(new Court({ entries: {}, speculative: { ...speculative }, only: undefined }), { data: await newData() })
        .summary;
    await expect(begin({ byNumbr: { plus: 5 } })).rejects.toThrow('Court has no speculator named byNumbr.');
    await expect(begin({ byNumber: { definite: [1, 2] } })).rejects.toThrow(
      'Speculator byNumber has no setting definite.',
    );
  });
});

describe('listSpeculators()', () => {
  it('gives what is known of each', () => {
    expect(Court.listSpeculators()).toEqual([
      { name: 'byNumber', highestObserved: 500, observationDate: '2025-01-15', largestObservedGap: 20 },
      { name: 'appeals', highestObserved: 1, observationDate: undefined, largestObservedGap: 10 },
      { name: 'byYear', highestObserved: 1, observationDate: undefined, largestObservedGap: 10 },
    ]);
  });

  it('is empty for a scraper that has none', () => {
    class Plain extends Scraper {
      baseUrl = 'https://court.example';
    }
    expect(Plain.listSpeculators()).toEqual([]);
  });
});
