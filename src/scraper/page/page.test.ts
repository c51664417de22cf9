import { hash } from 'node:crypto';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { Page } from './page.ts';
import { samplePage } from './sample-page.ts';

describe('a page', () => {
  const body = Buffer.from('caf\xe9', 'latin1');
  const page = new Page({
    url: 'https://court.example/b',
    requestUrl: 'https://court.example/a',
    status: 203,
    headers: [
      ['Content-Type', ' Text/HTML ; charset=ISO-8859-1'],
      ['Set-Cookie', 'a=1'],
      ['set-cookie', 'b=2'],
    ],
    body,
  });

  it('tells how it was answered', () => {
    expect(page).toMatchObject({ url: 'https://court.example/b', requestUrl: 'https://court.example/a', status: 203 });
    expect(page.header('set-COOKIE')).toBe('a=1');
    expect(page.header('etag')).toBeUndefined();
    expect(page.headers).toHaveLength(3);
    expect(page.contentType).toBe('text/html');
    expect(page.archivedAs).toBeUndefined();
  });

  it('has its bytes and its text', () => {
    expect(page.bytes).toEqual(Uint8Array.from(body));
    expect([page.size, page.sha256]).toEqual([body.length, hash('sha256', body)]);
    expect(page.source).toBe('café');
    expect(page.encoding).toBe('windows-1252');
  });

  it('does not pour its content into a log', () => {
    expect(inspect(samplePage('<p>secret</p>'), { depth: 9 })).not.toContain('115');
    expect(inspect([samplePage('<p>secret</p>').one('p')], { depth: 9 })).not.toContain('secret');
  });

  it('without a content type is taken for HTML', () => {
    const bare = samplePage('<P>x', { headers: [] });
    expect(bare.contentType).toBeUndefined();
    expect(bare.text('p')).toBe('x');
  });
});

describe('a JSON page', () => {
  const Case = z.object({ number: z.string(), filed: z.iso.date().optional(), judge: z.string().default('unknown') });
  const json = (text: string, archivedAs?: string) =>
    samplePage(text, { headers: [['content-type', 'application/json']], archivedAs });

  it('gives its value', () => {
    expect(json('{"a":[1,null,"é"]}').json()).toEqual({ a: [1, null, 'é'] });
    expect(json('\ufeff[]').json()).toEqual([]);
  });

  it('gives what its schema makes of it, typed', () => {
    const found: { number: string; judge: string } = json('{"number":"1"}').json(Case);
    expect(found).toEqual({ number: '1', judge: 'unknown' });
  });

  it('that does not fit its schema says where and why', () => {
    const page = json('[{"number":1},{"number":"2","filed":"yesterday"}]', 'segment-1@7');
    expect(() => page.json(z.array(Case))).toThrow(
      expect.objectContaining({
        code: 'structure',
        name: 'StructureError',
        archivedAs: 'segment-1@7',
        actual: expect.stringMatching(/^\[0\]\.number: .*; \[1\]\.filed: /),
      }),
    );
  });

  it('that is none says where it breaks, and shows the place', () => {
    expect(() => json('{"cases": [1, 2,, 3]}', 'segment-1@7').json()).toThrow(
      expect.objectContaining({
        code: 'invalid_json',
        message:
          'The JSON is wrong at position 16, near "{\\"cases\\": [1, 2,, 3]}", on https://court.example/list/ (archived as segment-1@7)',
      }),
    );
    expect(() => json('{"a": tru').json()).toThrow('wrong at position 6');
    expect(() => json('{"a": [').json()).toThrow('ends too early at position 7');
  });

  it('that is HTML says so', () => {
    expect(() => json('\n<html>Please log in</html>').json()).toThrow(
      expect.objectContaining({ code: 'invalid_json', remedy: expect.stringContaining('HTML') }),
    );
  });
});
