import { describe, expect, it } from 'vitest';
import { Page } from './page/page.ts';
import { download, get, post } from './request.ts';

function pageWith(html: string): Page {
  const url = 'https://court.example/search';
  const headers = [['content-type', 'text/html; charset=utf-8']] as const;
  return new Page({ url, requestUrl: url, status: 200, headers, body: Buffer.from(html) });
}

const form = '<form method="post" action="/find"><input name="q"><input type="hidden" name="token" value="t"></form>';

describe('get', () => {
  it('takes an address, a URL, a link, and either with options', () => {
    const page = pageWith('<a href="/case/1">1</a>');
    expect(get('/case/1').url).toBe('/case/1');
    expect(get(new URL('https://court.example/case/1')).url).toBe('https://court.example/case/1');
    expect(get(page.link('a')).url).toBe('https://court.example/case/1');
    const options = { priority: 3, session: 'b', key: false, via: 'browser', waitFor: 'h1' } as const;
    expect(get({ url: page.link('a'), ...options })).toMatchObject({ url: 'https://court.example/case/1', options });
  });

  it('takes a form, which decides the method, and options beside it', () => {
    const filled = pageWith(form).form().submit({ q: 'Smith' });
    const fields = [
      ['q', 'Smith'],
      ['token', 't'],
    ];
    const sent = { method: 'POST', url: 'https://court.example/find', body: { kind: 'form', fields } };
    expect(get(filled)).toMatchObject({ ...sent, options: {} });
    expect(get({ ...filled, session: 'b', priority: 2 })).toMatchObject({
      ...sent,
      options: { session: 'b', priority: 2 },
    });
  });

  it('refuses a step that is no method, and names the request', () => {
    expect(() => get('/', 'parse' as never)).toThrow('get of / is given a string as its step.');
    expect(() => get('/case/1', undefined as never)).toThrow('get of /case/1 is given undefined as its step.');
    expect(() => get({ url: '/case/2' }, null as never)).toThrow('get of /case/2 is given null as its step.');
    expect(() => get(pageWith(form).form().submit({ q: 'x' }), undefined as never)).toThrow(
      'get of https://court.example/find is given undefined as its step.',
    );
    expect(() => get('/case/1', undefined as never, { id: 1 } as never)).toThrow('is given undefined as its step.');
  });

  it('refuses what has no address', () => {
    expect(() => get({} as never)).toThrow('A request has no address.');
    expect(() => get(undefined as never)).toThrow('A request has no address: get is given undefined.');
    expect(() => get(null as never)).toThrow('A request has no address: get is given null.');
    expect(() => get([] as never)).toThrow('A request has no address: get is given a list.');
    expect(() => get({ url: undefined } as never)).toThrow('A request has no address.');
  });

  it('refuses an option that does not exist, or that cannot have that value', () => {
    const refusal = (options: object) => () => get({ url: '/case/1', ...options } as never);
    expect(refusal({ priorty: 5 })).toThrow('get of /case/1 has no option priorty.');
    expect(refusal({ priority: '5' })).toThrow('is given a priority that cannot be used: it must be a whole number.');
    expect(refusal({ headers: { a: 1 } })).toThrow('it must be an object of texts by name.');
    expect(refusal({ via: 'chrome' })).toThrow("it must be 'http' or 'browser'.");
    expect(refusal({ key: true })).toThrow('it must be a text, or false.');
    expect(refusal({ priority: undefined, key: 'k' })()).toMatchObject({ options: { key: 'k' } });
  });
});

describe('post', () => {
  it('sends fields, JSON or text', () => {
    expect(post('/s', { form: { a: '1', b: ['2', '3'] } }).body).toEqual({
      kind: 'form',
      fields: [
        ['a', '1'],
        ['b', '2'],
        ['b', '3'],
      ],
    });
    expect(post('/s', { json: { a: [1] } }).body).toEqual({ kind: 'json', value: { a: [1] } });
    expect(post('/s', { text: '<x/>', type: 'text/xml' }).body).toEqual({
      kind: 'text',
      text: '<x/>',
      type: 'text/xml',
    });
  });

  it('refuses a step that is no method, and a body that is none', () => {
    const body = { form: {} };
    expect(() => post('/find', body, undefined as never)).toThrow('post of /find is given undefined as its step.');
    for (const strange of [undefined, null, 'a=1', {}, { form: null }]) {
      expect(() => post('/find', strange as never)).toThrow('post of /find has no body that can be sent.');
    }
  });
});

describe('download', () => {
  it('asks for a file', () => {
    expect(download('/a.pdf')).toMatchObject({ method: 'GET', saves: 'file', step: undefined });
    expect(get('/a')).toMatchObject({ saves: 'page' });
  });

  it('refuses a step that is no method', () => {
    expect(() => download('/a.pdf', undefined as never)).toThrow('download of /a.pdf is given undefined as its step.');
  });
});
