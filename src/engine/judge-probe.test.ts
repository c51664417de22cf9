import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ProbeMark, WalkId } from '../ledger/probe.ts';
import { defineScraper } from '../scraper/definition.ts';
import { Page } from '../scraper/page/page.ts';
import { record } from '../scraper/record.ts';
import { get } from '../scraper/request.ts';
import { Scraper } from '../scraper/scraper.ts';
import { type MissOutcome, type SpeculateOptions, speculate } from '../scraper/speculate.ts';
import { isHit, recordMiss } from './judge-probe.ts';

const court = (options: SpeculateOptions) => {
  class Court extends Scraper {
    baseUrl = 'https://court.example';
    byNumber = speculate(options, (id) => get(`/case/${id}`, this.read));
    *read() {}
  }
  return defineScraper(new Court());
};
const probe: ProbeMark = { walk: 1 as WalkId, speculator: 'byNumber', partition: {}, id: 7 };
const url = 'https://court.example/case/7';
const page = new Page({ url, requestUrl: url, status: 200, headers: [], body: Buffer.from('<h1>No such case</h1>') });
const outcome: MissOutcome = { partition: {}, kind: 'url_specific', status: 404, reason: 'HTTP 404', page: undefined };

describe('isHit', () => {
  it('takes every page for real unless the author says otherwise', () => {
    expect(isHit(court({}), probe, page)).toBe(true);
    expect(isHit(court({}), { ...probe, speculator: 'gone' }, page)).toBe(true);
  });

  it('asks the author', () => {
    const isReal = (asked: Page) => asked.text('h1') !== 'No such case';
    expect(isHit(court({ isReal }), probe, page)).toBe(false);
    expect(isHit(court({ isReal: () => true }), probe, page)).toBe(true);
  });
});

describe('an isReal that says neither true nor false', () => {
  it.each([
    [() => Promise.resolve(false), 'a promise'],
    [() => Promise.reject(new Error('no')), 'a promise'],
    [() => undefined, 'undefined'],
    [() => 0, '0'],
    [() => 'no', '"no"'],
    [() => ({ text: 'x' }), 'an object (text)'],
  ])('is an error, and no hit: %s', (answer, said) => {
    const isReal = answer as unknown as () => boolean;
    expect(() => isHit(court({ isReal }), probe, page)).toThrow(
      `isReal of Court.byNumber gave back ${said}, but it must be true or false.`,
    );
  });
});

describe('recordMiss', () => {
  it.each([[undefined], [Promise.resolve([])], ['text']])('refuses an onMiss that gives back %o', (given) => {
    const onMiss = () => given as unknown as [];
    expect(() => recordMiss(court({ onMiss }), probe, outcome)).toThrow('onMiss of Court.byNumber gave back');
  });

  const Missing = z.object({ id: z.int(), why: z.string() });

  it('records nothing unless the author wants to', () => {
    expect(recordMiss(court({}), probe, outcome)).toEqual({ records: [], children: [] });
    expect(recordMiss(court({}), { ...probe, speculator: 'gone' }, outcome)).toEqual({ records: [], children: [] });
  });

  it('records what the author makes of the id and the answer', () => {
    const definition = court({ onMiss: (id, { reason }) => [record('missing', Missing, { id, why: reason })] });
    expect(recordMiss(definition, probe, outcome)).toEqual({
      records: [{ kind: 'missing', data: { id: 7, why: 'HTTP 404' }, errors: undefined }],
      children: [],
    });
  });

  it('refuses what is no record, and says what to give back', () => {
    const onMiss = (() => [{ id: 7 }]) as unknown as NonNullable<SpeculateOptions['onMiss']>;
    expect(() => recordMiss(court({ onMiss }), probe, outcome)).toThrow(
      expect.objectContaining({
        code: 'step_failed',
        message: 'onMiss of Court.byNumber gave back an object (id), which is no record.',
        remedy: 'It gives back what record returns, none or many.',
      }),
    );
  });
});
