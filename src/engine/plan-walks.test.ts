import { describe, expect, it } from 'vitest';
import type { KnownSequence } from '../ledger/known-ids.ts';
import type { StoredWalk, WalkId } from '../ledger/probe.ts';
import type { RunId } from '../ledger/run.ts';
import { defineScraper } from '../scraper/definition.ts';
import { get } from '../scraper/request.ts';
import { type AnyScraperParams, Scraper } from '../scraper/scraper.ts';
import { speculate } from '../scraper/speculate.ts';
import type { SpeculatorParams } from '../scraper/speculation-params.ts';
import { planWalks, type WalkStart } from './plan-walks.ts';

class Court extends Scraper {
  baseUrl = 'https://court.example';
  byNumber = speculate({ highestObserved: 100, largestObservedGap: 20, maxProbes: 1_000 }, (id) =>
    get(`/case/${id}`, this.read),
  );
  byYear = speculate.partitioned({ year: [2024, 2025] }, { onDuplicate: 'inherit' }, ({ year }, id) =>
    get(`/${year}/${id}`, this.read),
  );
  *read() {}
}

interface Asked {
  readonly speculative?: Readonly<Record<string, SpeculatorParams>>;
  readonly only?: readonly string[];
  readonly start?: WalkStart;
  readonly observations?: readonly KnownSequence[];
}

const plan = ({ speculative, only, start = 'declared', observations = [] }: Asked = {}) => {
  const params: AnyScraperParams = { entries: {}, only, ...(speculative && { speculative }) };
  return planWalks(defineScraper(new Court()), params, start, observations);
};
/** The walk of `byNumber` alone. */
const planNumbers = (params: SpeculatorParams, asked: Asked = {}) =>
  plan({ ...asked, only: ['byNumber'], speculative: { byNumber: params } })[0];

const stored = (id: number, speculator: string, partition: StoredWalk['partition'] = {}): StoredWalk => ({
  id: id as WalkId,
  run: 1 as RunId,
  declared: undefined,
  speculator,
  partition,
  first: 1,
  last: 100,
  gap: 20,
  maxProbes: undefined,
  onDuplicate: 'miss',
  holesOf: undefined,
  holesUpTo: undefined,
  highestHit: undefined,
  next: 1,
});
const seen = (highestObserved: number, largestObservedGap: number, walk = stored(7, 'byNumber')): KnownSequence => ({
  walk,
  observed: { highestObserved, largestObservedGap, lowestHit: 1 },
});

describe('planWalks', () => {
  it('begins one walk per speculator and partition, from id 1 to the highest declared, with all that is declared', () => {
    const common = { first: 1, holesOf: undefined };
    const declared = (highestObserved: number, largestObservedGap: number) => ({
      declared: { highestObserved, largestObservedGap },
      last: highestObserved,
      gap: largestObservedGap,
    });
    const year = { ...common, speculator: 'byYear', maxProbes: undefined, onDuplicate: 'inherit', ...declared(1, 10) };
    expect(plan()).toEqual([
      {
        ...common,
        speculator: 'byNumber',
        partition: {},
        maxProbes: 1_000,
        onDuplicate: 'miss',
        ...declared(100, 20),
      },
      { ...year, partition: { year: 2024 } },
      { ...year, partition: { year: 2025 } },
    ]);
  });

  it('begins below 1 where the highest id is below it', () => {
    class Low extends Scraper {
      baseUrl = 'https://court.example';
      ids = speculate({ highestObserved: -5 }, (id) => get(`/${id}`, this.read));
      *read() {}
    }
    const params = { entries: {}, only: undefined };
    expect(planWalks(defineScraper(new Low()), params, 'declared', [])).toMatchObject([{ first: -5, last: -5 }]);
  });

  it('goes by the range and the gap that are asked for, also by a gap of 0', () => {
    expect(planNumbers({ definiteRange: [40, 50], plus: 0 })).toMatchObject({ first: 40, last: 50, gap: 0 });
    expect(planNumbers({ definiteRange: [40, 40] })).toMatchObject({ first: 40, last: 40, gap: 20 });
  });

  it('runs only what is named', () => {
    expect(plan({ only: ['byYear'] }).map(({ speculator }) => speculator)).toEqual(['byYear', 'byYear']);
    expect(plan({ only: ['byNumber'] }).map(({ speculator }) => speculator)).toEqual(['byNumber']);
    expect(plan({ only: ['byNumber'], speculative: { byYear: {} } })).toHaveLength(1);
  });

  it('refuses settings for what does not run, and says how to run it', () => {
    const asked = { only: ['byNumber', 'recent'], speculative: { byYear: { plus: 5 } } };
    expect(() => plan(asked)).toThrow(
      expect.objectContaining({
        code: 'invalid_parameter',
        message: 'byYear is given settings, but only byNumber, recent runs.',
        remedy: 'Name it too: --entry byYear.',
      }),
    );
  });

  it('refuses an unknown speculator and an unknown setting', () => {
    expect(() => plan({ speculative: { byNumbr: {} } })).toThrow('Court has no speculator named byNumbr.');
    const settings: object = { byNumber: { gap: 5 } };
    expect(() => plan({ speculative: settings as Record<string, SpeculatorParams> })).toThrow('no setting gap');
  });

  it('refuses a range that runs backwards', () => {
    expect(() => planNumbers({ definiteRange: [51, 50] })).toThrow(
      expect.objectContaining({
        code: 'invalid_parameter',
        message: 'The definite range of byNumber runs backwards: it begins at 51 and ends at 50.',
        remedy: 'Give the lower id first; both ends are included.',
      }),
    );
  });

  it.each([
    [{ definiteRange: [0.5, 2] }, 'definiteRange of byNumber is 0.5'],
    [{ definiteRange: [1, 2.5] }, 'definiteRange of byNumber is 2.5'],
    [{ plus: -1 }, 'plus of byNumber is -1'],
    [{ definiteRange: [1, Number.MAX_SAFE_INTEGER], plus: 1 }, 'the last id of byNumber is 9007199254740992'],
  ] as const)('refuses %j: no id has such a number', (params, message) => {
    expect(() => planNumbers(params)).toThrow(message);
  });

  describe('after an earlier run', () => {
    it('reaches as far as was observed, and no less far than declared', () => {
      expect(planNumbers({}, { start: 'from-last', observations: [seen(150, 30)] })).toMatchObject({
        first: 1,
        last: 150,
        gap: 30,
        holesOf: undefined,
      });
      expect(planNumbers({}, { start: 'from-last', observations: [seen(50, 5)] })).toMatchObject({
        last: 100,
        gap: 20,
      });
    });

    it('goes by what is asked for all the same', () => {
      const asked = { definiteRange: [5, 6], plus: 1 } as const;
      expect(planNumbers(asked, { start: 'from-last', observations: [seen(150, 30)] })).toMatchObject({
        first: 5,
        last: 6,
        gap: 1,
      });
    });

    it('takes what was observed of the same speculator and partition only', () => {
      const observations = [
        seen(900, 90, stored(1, 'byYear', { year: 2023 })),
        seen(800, 80, stored(4, 'appeals')),
        seen(300, 30, stored(2, 'byYear', { year: 2025 })),
        seen(500, 50, stored(3, 'byNumber')),
      ];
      expect(plan({ start: 'from-last', observations }).map(({ last, gap }) => [last, gap])).toEqual([
        [500, 50],
        [1, 10],
        [300, 30],
      ]);
    });

    it('asks for holes again, and goes on behind the highest id that was observed', () => {
      expect(planNumbers({ plus: 3 }, { start: 'holes', observations: [seen(150, 30)] })).toMatchObject({
        first: 151,
        last: 150,
        gap: 3,
        holesOf: 7,
      });
      expect(planNumbers({}, { start: 'holes', observations: [seen(50, 30)] })).toMatchObject({ first: 51, last: 100 });
    });

    it('begins as declared where there are no holes to ask for, for nothing was observed', () => {
      const nothing = { walk: stored(7, 'byNumber'), observed: undefined };
      for (const observations of [[], [nothing]]) {
        expect(planNumbers({}, { start: 'holes', observations })).toMatchObject({
          first: 1,
          last: 100,
          holesOf: undefined,
        });
      }
    });

    it('begins below 1 when ids are known there', () => {
      const low: KnownSequence = {
        walk: stored(7, 'byNumber'),
        observed: { highestObserved: 150, largestObservedGap: 1, lowestHit: -3 },
      };
      expect(planNumbers({}, { start: 'from-last', observations: [low] })).toMatchObject({ first: -3, last: 150 });
    });

    it('refuses a range together with the holes of earlier runs', () => {
      const asked = { start: 'holes', observations: [seen(150, 30)] } as const;
      expect(() => planNumbers({ definiteRange: [1, 2] }, asked)).toThrow(
        expect.objectContaining({
          code: 'invalid_parameter',
          message: 'byNumber is given a range, but the holes of earlier runs say where to look.',
          remedy: 'Leave out the range, or ask for that range without --reprobe holes.',
        }),
      );
    });
  });
});
