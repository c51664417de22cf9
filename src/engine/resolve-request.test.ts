import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineScraper } from '../scraper/definition.ts';
import { entry } from '../scraper/entry.ts';
import type { Page } from '../scraper/page/page.ts';
import { record } from '../scraper/record.ts';
import { download, get, post, type Request } from '../scraper/request.ts';
import { Scraper } from '../scraper/scraper.ts';
import { hostOf, resolveRequest } from './resolve-request.ts';

class Court extends Scraper {
  baseUrl = 'https://court.example';
  override priorities = { parseCase: 7 };
  start = entry(() => get('/', this.parseCase, { n: 1 }));
  *parseCase(page: Page, _: { n: number }) {
    yield record('case', z.string(), page.text('h1'));
  }
}

const court = new Court();
const definition = defineScraper(court);
const resolve = (request: Request, occurrence = 'here') =>
  resolveRequest(request, { base: 'https://court.example/list/', depth: 3, occurrence }, definition);
const identity = (request: Request, occurrence?: string) =>
  Buffer.from(resolve(request, occurrence).identity).toString('hex');

describe('resolveRequest', () => {
  it('makes the address absolute and canonical, and the step a name', () => {
    const { spec, host } = resolve(get('../case/17?x=%7e#top', court.parseCase, { n: 1 }));
    expect(spec).toMatchObject({
      url: 'https://court.example/case/17?x=~',
      step: 'parseCase',
      context: { n: 1 },
      depth: 3,
    });
    expect(host).toBe('court.example');
  });

  it('takes the priority of the step, unless the request has its own', () => {
    expect(resolve(get('/a', court.parseCase, { n: 1 })).spec.priority).toBe(7);
    expect(resolve(get({ url: '/a', priority: -1 }, court.parseCase, { n: 1 })).spec.priority).toBe(-1);
    expect(resolve(get('/a')).spec.priority).toBe(0);
  });

  it('knows a request by method, canonical URL and body', () => {
    expect(identity(get('/a#x'))).toBe(identity(get('https://COURT.example/a')));
    expect(identity(get('/a'))).toBe(identity(download('/a')));
    const bodies = [
      { form: { a: '1' } },
      { form: { a: '2' } },
      { json: { a: '1' } },
      { text: 'a=1', type: 'text/plain' },
    ];
    const all = [get('/a'), get('/b'), ...bodies.map((body) => post('/a', body))].map((request) => identity(request));
    expect(new Set(all).size).toBe(all.length);
  });

  it('knows a request by its own key, whatever its URL', () => {
    expect(identity(get({ url: '/a?session=1', key: 'a' }))).toBe(identity(get({ url: '/a?session=2', key: 'a' })));
    expect(identity(get({ url: '/a', key: 'a' }))).not.toBe(identity(get('/a')));
  });

  it('makes every request without key its own, and the same one again when the step is repeated', () => {
    const anew = get({ url: '/a', key: false });
    expect(identity(anew, 'page 1')).not.toBe(identity(anew, 'page 2'));
    expect(identity(anew, 'page 1')).toBe(identity(anew, 'page 1'));
  });

  it('refuses a context that the ledger could not keep, naming the part', () => {
    const strange = (context: unknown) => () => resolve(get('/a', court.parseCase, context as { n: number }));
    expect(strange({ when: new Date(0) })).toThrow('.when is not JSON');
    expect(strange({ list: [1, { f: () => 1 }] })).toThrow('.list[1].f is not JSON');
    expect(strange({ n: Number.NaN })).toThrow('.n is not JSON');
  });

  it('refuses a step that is no method of the scraper', () => {
    const arrow = (() => []) as unknown as Court['parseCase'];
    expect(() => resolve(get('/a', arrow, { n: 1 }))).toThrow('no method of Court');
    expect(() => resolve(get('/a', court.parseCase.bind(court), { n: 1 }))).toThrow('no method of Court');
  });

  it.each([
    ['https://court.example/a', 'court.example'],
    ['http://court.example:8080/', 'court.example:8080'],
    ['http://user:pass@court.example/a@b', 'court.example'],
    ['http://[::1]:9/x', '[::1]:9'],
  ])('reads the lane of %s as %s', (url, host) => {
    expect(hostOf(url)).toBe(new URL(url).host);
    expect(hostOf(url)).toBe(host);
  });
});
