import { describe, expect, it } from 'vitest';
import type { SettingsInput } from '../engine/settings.ts';
import { defineScraper } from './definition.ts';
import { entry } from './entry.ts';
import { get } from './request.ts';
import { Scraper } from './scraper.ts';
import { speculate } from './speculate.ts';

/** A scraper with these fields beside its own. */
function withFields(fields: object): Scraper {
  class Court extends Scraper {
    baseUrl = 'https://court.example';
    start = entry(() => get('/', this.parse));
    *parse() {}
  }
  return Object.assign(new Court(), fields);
}

describe('a field of a scraper', () => {
  it.each([
    'rate',
    'RATE_LIMIT',
    'concurrency',
    'maxConcurrency',
    'delay',
    'download_delay',
    'retries',
    'timeout',
    'robots',
    'ROBOTSTXT_OBEY',
    'userAgent',
    'user_agent',
    'headers',
    'cookies',
    'proxy',
    'maxPages',
    'custom_settings',
    'allowed_domains',
  ])('that looks like a setting is refused, with what to do: %s', (name) => {
    expect(() => defineScraper(withFields({ [name]: 5 }))).toThrow(
      expect.objectContaining({
        code: 'scraper_definition',
        message: `Court has a field ${name}, which looks like a setting and would be ignored: a scraper has no settings.`,
        remedy: expect.stringContaining(`make it private (#${name}) or give it another name.`),
      }),
    );
  });

  it('of the name of any setting of a run is refused', () => {
    // The compiler says when one is missing here; add it in check-fields.ts too.
    const settings: Record<Exclude<keyof SettingsInput, 'baseUrl'>, true> = {
      concurrency: true,
      rate: true,
      robots: true,
      allowHosts: true,
      userAgent: true,
      proxy: true,
      durability: true,
      maxPageBytes: true,
      maxFileBytes: true,
      totalTimeoutMs: true,
      patienceMs: true,
      redactArchive: true,
      stepTimeoutMs: true,
      stepMemoryMb: true,
    };
    for (const name of Object.keys(settings)) {
      expect(() => defineScraper(withFields({ [name]: undefined }))).toThrow(`Court has a field ${name}, which looks`);
    }
  });

  it.each([
    ['baseURL', 'baseUrl'],
    ['base_url', 'baseUrl'],
    ['baseurl', 'baseUrl'],
    ['Priorities', 'priorities'],
  ])('%s is refused, and %s is suggested', (name, real) => {
    expect(() => defineScraper(withFields({ [name]: 'https://court.example' }))).toThrow(
      expect.objectContaining({ remedy: expect.stringContaining(`Did you mean ${real}?`) }),
    );
  });

  it('is refused as a getter, as a static and in a class between', () => {
    class Polite extends Scraper {
      baseUrl = 'https://court.example';
      get rate() {
        return 5;
      }
    }
    class Static extends Scraper {
      static concurrency = 2;
      baseUrl = 'https://court.example';
    }
    class Court extends Polite {}
    expect(() => defineScraper(new Court())).toThrow('Court has a field rate');
    expect(() => defineScraper(new Static())).toThrow('Static has a field concurrency');
  });

  it('of any other name is the author’s own, whatever it holds', () => {
    class Court extends Scraper {
      static readonly courts = ['civil', 'family'];
      baseUrl = 'https://court.example';
      override priorities = { parse: 5 };
      #rate = 5;
      #cache = new Map([['a', 1]]);
      divisions = ['A', 'B'];
      PAGE_SIZE = 50;
      limit = 10;
      pattern = /a/;
      selectors = { title: 'h1' };
      startUrls = ['/a', '/b'];
      baseUrls = ['https://a.example'];
      pick = (text: string) => text.slice(this.#rate);
      /** A function is no value of a setting. */
      delay = () => this.#cache.size;
      headersOf = { a: 'b' };
      robots = entry(() => get('/robots', this.parse));
      start = entry(() => this.startUrls.map((url) => get(url, this.parse)));
      *parse() {}
    }
    expect([...defineScraper(new Court()).entries.keys()]).toEqual(['robots', 'start']);
  });
});

describe('an entry or a speculator that nobody would find', () => {
  it.each([
    ['in an object', { ways: { byNumber: speculate({}, (id) => get(`/${id}`)) } }, 'Court declares ways.byNumber'],
    ['in a list', { ways: [entry(() => get('/'))] }, 'Court declares ways[0]'],
    ['as a decorator on nothing', { byNumber: speculate({}) }, 'Speculator byNumber of Court does not say how to ask'],
  ])('is refused: %s', (_, fields, message) => {
    expect(() => defineScraper(withFields(fields))).toThrow(message);
  });

  it('is refused as a static', () => {
    class Court extends Scraper {
      static start = entry(() => get('/'));
      baseUrl = 'https://court.example';
    }
    expect(() => defineScraper(new Court())).toThrow('Court declares start static, where nobody looks for it.');
  });
});

describe('priorities', () => {
  it.each([
    [{ prase: 5 }, 'The priorities of Court name prase, which is no step.'],
    [{ parse: '5' }, 'The priorities of Court give parse no whole number.'],
    [null, 'The priorities of Court are no object.'],
  ])('%j are refused', (priorities, message) => {
    expect(() => defineScraper(withFields({ priorities }))).toThrow(message);
  });
});

describe('entry', () => {
  it.each([
    [[undefined], 'What an entry begins with is undefined, but it must be a function.'],
    [['/list'], 'What an entry begins with is "/list", but it must be a function.'],
    [[async () => get('/')], 'What an entry begins with is an async function, but'],
    [[{}, () => get('/')], 'The schema of an entry is an object (), but it must be a schema'],
    [[undefined, () => get('/')], 'The schema of an entry is undefined, but'],
    [[{ '~standard': {} }], 'An entry has a schema, but no function that begins it.'],
    [[{ '~standard': {} }, undefined], 'What an entry begins with is undefined, but it must be a function.'],
  ])('refuses %o', (args, message) => {
    expect(() => (entry as unknown as (...args: unknown[]) => unknown)(...args)).toThrow(message);
  });
});
