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

  it('refuses a step that is no method', () => {
    expect(() => get('/', 'parse' as never)).toThrow('The step of a request must be a method, not string.');
    expect(() => get({} as never)).toThrow('A request has no address.');
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
});

describe('download', () => {
  it('asks for a file', () => {
    expect(download('/a.pdf')).toMatchObject({ method: 'GET', saves: 'file', step: undefined });
    expect(get('/a')).toMatchObject({ saves: 'page' });
  });
});
