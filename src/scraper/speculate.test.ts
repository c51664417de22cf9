import { describe, expect, it } from 'vitest';
import { get, type Request } from './request.ts';
import { isSpeculator, type PartitionValues, type SpeculateOptions, speculate, speculatorOf } from './speculate.ts';

function* step() {}
const ask = (id: number): Request => get(`/case/${id}`, step);
const partitionsOf = (dimensions: Readonly<Record<string, PartitionValues>>) =>
  speculate.partitioned(dimensions, {}, (_, id) => ask(id)).partitions;

describe('speculate, with a function', () => {
  it('is a sequence without partitions that asks for one id', () => {
    const speculator = speculate({}, ask);
    expect(speculator).toMatchObject({ kind: 'speculator', partitions: [{}] });
    expect(speculator.ask({}, 7)).toEqual(ask(7));
  });

  it('fills in what is not said, and keeps what is', () => {
    expect(speculate({}, ask).options).toEqual({ highestObserved: 1, largestObservedGap: 10, onDuplicate: 'miss' });
    const said = {
      highestObserved: -5,
      largestObservedGap: 0,
      onDuplicate: 'inherit',
      maxProbes: 1,
      observationDate: '2026-01-01',
    } as const;
    expect(speculate(said, ask).options).toEqual(said);
  });

  it.each([
    [{ highestObserved: 1.5 }, 'highestObserved is 1.5, but it must be a whole number that is not beyond 2^53.'],
    [{ highestObserved: 2 ** 53 }, 'highestObserved is 9007199254740992, but'],
    [{ largestObservedGap: -1 }, 'largestObservedGap is -1, but it must be a whole number from 0 up.'],
    [{ largestObservedGap: 0.5 }, 'largestObservedGap is 0.5, but'],
    [{ maxProbes: 0 }, 'maxProbes is 0, but it must be a whole number from 1 up.'],
    [{ maxProbes: 2.5 }, 'maxProbes is 2.5, but'],
    [{ onDuplicate: 'hit' }, 'onDuplicate is hit, but it must be miss or inherit.'],
  ])('refuses %j', (options, message) => {
    const declare = () => speculate(options as SpeculateOptions, ask);
    expect(declare).toThrow(message);
    expect(declare).toThrow(expect.objectContaining({ code: 'invalid_parameter' }));
  });
});

describe('speculate, as a decorator', () => {
  const context = (place: { private?: boolean; static?: boolean }) =>
    ({ kind: 'method', name: 'byNumber', private: false, static: false, ...place }) as ClassMethodDecoratorContext<
      unknown,
      typeof ask
    >;

  it('leaves the method as it is and makes a sequence of it, asked for on its scraper', () => {
    const scraper = { prefix: '/case' };
    function byNumber(this: typeof scraper, id: number): Request {
      return get(`${this.prefix}/${id}`, step);
    }
    const method = byNumber as (id: number) => Request;
    expect(speculatorOf(method, scraper)).toBeUndefined();
    expect(speculate({ highestObserved: 9 })(method, context({}))).toBe(method);
    const speculator = speculatorOf(method, scraper);
    expect(speculator).toMatchObject({ kind: 'speculator', partitions: [{}], options: { highestObserved: 9 } });
    expect(speculator?.ask({}, 7)).toEqual(ask(7));
  });

  it.each([{ private: true }, { static: true }])('refuses a method nobody can call: %j', (place) => {
    expect(() => speculate({})(ask, context(place))).toThrow(
      expect.objectContaining({
        code: 'scraper_definition',
        message: '@speculate stands on byNumber, which is private or static.',
        remedy: 'Make it a public method of the scraper.',
      }),
    );
  });
});

describe('speculate.partitioned', () => {
  it('makes a sequence of every combination, ranges with both ends', () => {
    expect(partitionsOf({ year: [2024, 2026], division: ['civil', 'criminal'] })).toEqual([
      { year: 2024, division: 'civil' },
      { year: 2024, division: 'criminal' },
      { year: 2025, division: 'civil' },
      { year: 2025, division: 'criminal' },
      { year: 2026, division: 'civil' },
      { year: 2026, division: 'criminal' },
    ]);
  });

  it('takes a range of one, and lists of any length', () => {
    expect(partitionsOf({ year: [2026, 2026] })).toEqual([{ year: 2026 }]);
    expect(partitionsOf({ court: ['a'] })).toEqual([{ court: 'a' }]);
    expect(partitionsOf({ court: ['a', 'b', 'c'] })).toEqual([{ court: 'a' }, { court: 'b' }, { court: 'c' }]);
  });

  it('is checked as any other, and hands on partition and id', () => {
    expect(() => speculate.partitioned({ year: [1, 2] }, { maxProbes: 0 }, (_, id) => ask(id))).toThrow('maxProbes');
    const speculator = speculate.partitioned({ year: [1, 2] }, {}, ({ year }, id) => get(`/${year}/${id}`, step));
    expect(speculator.kind).toBe('speculator');
    expect(speculator.ask({ year: 2 }, 7)).toEqual(get('/2/7', step));
  });

  const wanted = 'texts, at least one and none twice, or the first and last of a range';
  it.each([
    [[2026, 2024], 'year is [2026, 2024], but it must be a range whose first is not above its last.'],
    [[0.5, 2], 'year is 0.5, but'],
    [[1, 2.5], 'year is 2.5, but'],
    [[], `year is [], but it must be ${wanted}.`],
    [['a', 'a'], `year is ["a", "a"], but it must be ${wanted}.`],
    [[2024], 'year is [2024], but'],
    [[2024, 2025, 2026], 'year is [2024, 2025, 2026], but'],
    [['a', 2], 'year is ["a", 2], but'],
    [[2, 'a'], 'year is [2, "a"], but'],
    ['2020', `year is 2020, but it must be ${wanted}.`],
    [2020, 'year is 2020, but'],
    [null, 'year is null, but'],
    [undefined, 'year is undefined, but'],
    [[null], 'year is [null], but'],
    [[true, false], 'year is [true, false], but'],
    [['a', ''], 'year is ["a", ""], but'],
    [[1, Number.NaN], 'year is NaN, but'],
    [[0, 1e9], 'at most 100000 partitions, and these are 1000000001.'],
  ])('refuses %j', (values, message) => {
    expect(() => partitionsOf({ year: values as unknown as PartitionValues })).toThrow(message);
  });
});

describe('what a speculator is declared with', () => {
  it.each([
    [{ largestGap: 5 }, 'A speculator has no option largestGap.'],
    [{ isreal: () => true }, 'A speculator has no option isreal.'],
    [{ highestObserved: null }, 'highestObserved is null, but'],
    [{ highestObserved: '500' }, 'highestObserved is 500, but'],
    [{ maxProbes: null }, 'maxProbes is null, but'],
    [{ observationDate: new Date(0) }, 'observationDate is a Date, but it must be a date as text'],
    [{ observationDate: 'yesterday' }, 'observationDate is yesterday, but it must be a date as text'],
    [{ observationDate: '2026-02-30' }, 'observationDate is 2026-02-30, but it must be a date as text'],
    [{ isReal: async () => false }, 'isReal is an async function, but it must be a plain function.'],
    [{ *isReal() {} }, 'isReal is a generator, but it must be a plain function.'],
    [{ isReal: true }, 'isReal is true, but it must be a function.'],
    [{ isReal: null }, 'isReal is null, but it must be a function.'],
    [{ onMiss: async () => [] }, 'onMiss is an async function, but'],
    [{ async *onMiss() {} }, 'onMiss is an async generator, but'],
    [null, 'The options of a speculator is null, but it must be an object'],
    [undefined, 'The options of a speculator is undefined, but'],
    [[], 'The options of a speculator is [], but'],
    [500, 'The options of a speculator is 500, but'],
  ])('is refused when it is %o', (options, message) => {
    expect(() => speculate(options as SpeculateOptions, ask)).toThrow(message);
    expect(() => speculate.partitioned({ year: [1, 2] }, options as SpeculateOptions, (_, id) => ask(id))).toThrow(
      message,
    );
  });

  it.each([
    [undefined, 'What a speculator asks with is undefined, but it must be a function.'],
    [null, 'What a speculator asks with is null, but'],
    [async (id: number) => ask(id), 'What a speculator asks with is an async function, but'],
    [
      function* (id: number) {
        yield ask(id);
      },
      'What a speculator asks with is a generator, but',
    ],
  ])('is refused with %s as its function', (strange, message) => {
    expect(() => speculate({}, strange as unknown as typeof ask)).toThrow(message);
    expect(() => speculate.partitioned({ year: [1, 2] }, {}, strange as never)).toThrow(message);
  });

  it('may be given options that are undefined, and an onMiss that is a generator', () => {
    expect(() => speculate({ isReal: undefined, maxProbes: undefined, *onMiss() {} } as never, ask)).not.toThrow();
  });

  it.each([null, {}, [], 'year'])('is refused when it is partitioned by %o', (dimensions) => {
    expect(() => partitionsOf(dimensions as never)).toThrow('What a speculator is partitioned by is');
  });
});

describe('a decorator that is no standard one', () => {
  class Court {
    fetchCase(id: number): Request {
      return ask(id);
    }
  }

  it.each([
    ['legacy', [Court.prototype, 'fetchCase', Object.getOwnPropertyDescriptor(Court.prototype, 'fetchCase')]],
    ['of an older proposal', [{ kind: 'method', key: 'fetchCase', placement: 'prototype' }]],
  ])('is refused: %s', (_, args) => {
    const decorate = speculate({}) as unknown as (...args: unknown[]) => unknown;
    expect(() => decorate(...args)).toThrow(
      expect.objectContaining({
        code: 'scraper_definition',
        message: expect.stringContaining('is compiled as a legacy decorator'),
        remedy: expect.stringContaining('Take experimentalDecorators out of tsconfig.json'),
      }),
    );
  });

  it.each(['field', 'getter', 'accessor', 'class'])('is refused on a %s', (kind) => {
    const decorate = speculate({}) as unknown as (...args: unknown[]) => unknown;
    expect(() => decorate(undefined, { kind, name: 'fetchCase' })).toThrow(`@speculate stands on a ${kind}`);
  });

  it('is refused without its options', () => {
    expect(() => (speculate as unknown as (...args: unknown[]) => unknown)(ask, { kind: 'method' })).toThrow(
      'speculate is given a function where its options belong.',
    );
  });
});

describe('isSpeculator', () => {
  it('knows a sequence from everything else a scraper may hold', () => {
    expect(isSpeculator(speculate({}, ask))).toBe(true);
    for (const other of [undefined, null, 'speculator', 7, {}, { kind: 'entry' }, ask]) {
      expect(isSpeculator(other)).toBe(false);
    }
  });
});
