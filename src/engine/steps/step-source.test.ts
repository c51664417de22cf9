import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import * as api from '../../index.ts';
import { defineScraper } from '../../scraper/definition.ts';
import { loadScraper } from '../load-scraper.ts';
import * as inThread from './curlew-in-thread.ts';
import { loadSteps, stepSourceOf } from './step-source.ts';

const MOODY = fileURLToPath(new URL('../../../test/fixtures/scrapers/moody.ts', import.meta.url));

describe('the scraper of a thread', () => {
  it('is the one that its file exports, made with the same parameters', async () => {
    const Moody = await loadScraper(MOODY);
    const params = { entries: { all: {} }, only: ['all'] };
    const definition = defineScraper(new Moody(params), 'http://127.0.0.1:1');
    const source = stepSourceOf(definition, undefined);
    if (source === undefined) return expect.fail('its file is not known');
    const loaded = await loadSteps(structuredClone(source));
    expect(loaded).toMatchObject({ name: 'Moody', baseUrl: 'http://127.0.0.1:1', steps: definition.steps });
    expect(loaded.scraper.params).toEqual(params);
  });

  it('is refused when the file has changed meanwhile, or the scraper was made with something else', async () => {
    class Moody extends api.Scraper {
      baseUrl = 'http://127.0.0.1:1';
      county = 'Kent';
      *item() {}
    }
    const source = stepSourceOf(defineScraper(new Moody()), MOODY);
    if (source === undefined) return expect.fail('its file is not known');
    await expect(loadSteps(source)).rejects.toMatchObject({
      code: 'scraper_file',
      message: `${MOODY} is not the scraper that this run was begun with.`,
    });
  });

  it('is not looked for when no file is named', () => {
    class InCode extends api.Scraper {
      baseUrl = 'http://127.0.0.1:1';
    }
    expect(stepSourceOf(defineScraper(new InCode()), undefined)).toBeUndefined();
  });
});

it('what a scraper imports is there in a thread too', () => {
  expect(Object.keys(inThread).sort()).toEqual(Object.keys(api).sort());
  expect(inThread.get).toBe(api.get);
  expect(() => inThread.run?.()).toThrow('A scraper cannot begin a run while it is being read.');
});
