import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redactSecrets } from './redact.ts';

describe('redactSecrets', () => {
  it.each([
    ['a proxy password', 'http://bob:hunter2@proxy.example:8080 refused', 'hunter2'],
    ['a socks password', 'via socks5://bob:hunter2@10.0.0.1:1080', 'hunter2'],
    ['a token in a query', 'GET https://court.example/x?id=7&access_token=hunter2#top', 'hunter2'],
    ['a signature in a signed URL', 'https://dl.example/d/1?X-Amz-Signature=hunter2&expires=5', 'hunter2'],
    ['a short name at the start of a query', 'https://dl.example/d?sig=hunter2', 'hunter2'],
    ['a nonce in JSON', '{"ajax_nonce":"hunter2","id":7}', 'hunter2'],
    ['a password in JSON within JSON', JSON.stringify({ data: '{"password":"hunter2"}' }), 'hunter2'],
    ['the form field of an AJAX call', 'action=dl&fid=1&security=hunter2', 'hunter2'],
    ['an assignment', 'CURLEW_TOKEN=hunter2 curlew serve', 'hunter2'],
    ['an authorization header', 'Authorization: Bearer hunter2hunter2', 'hunter2'],
    ['a cookie header in JSON', '{"headers":[["Cookie","sid=hunter2; a=b"]]}', 'hunter2'],
    ['a set-cookie line', 'set-cookie: session=hunter2; Path=/', 'hunter2'],
    [
      'a signature in the path of a signed address',
      'GET https://dl.example/d/1/b1!hunter2_x-y./download 200',
      'hunter2',
    ],
    ['the same in JSON of PHP', '{"fid":"https:\\/\\/dl.example\\/d\\/1\\/hunter2\\/download"}', 'hunter2'],
    ['an assignment that a JSON string begins with', '{"message":"nonce=hunter2 was refused"}', 'hunter2'],
    ['a nonce in a sentence', 'the nonce 0123abcdef was refused', '0123abcdef'],
    ['a basic credential', 'Basic aHVudGVyMjpodW50ZXIy', 'aHVudGVyMjpodW50ZXIy'],
  ])('hides %s', (_, text, secret) => {
    expect(redactSecrets(text)).not.toContain(secret);
    expect(redactSecrets(text)).toContain('***');
  });

  it.each([
    'GET https://court.example/case/17?page=2&since=2026-01-01 200 in 31 ms',
    '{"kind":"retry","reason":"500 Internal Server Error","due":1700000000}',
    'robots.txt: Disallow: /private/ (line 3)',
    'user@example.org wrote',
    'https://court.example/a@b',
  ])('leaves %j as it is', (text) => {
    expect(redactSecrets(text)).toBe(text);
  });

  it('hides any password of a URL, whatever it is made of', () => {
    const word = fc.stringMatching(/^[A-Za-z0-9._~!$&'()*+,;=%-]{1,20}$/);
    fc.assert(
      fc.property(word, word, (user, password) => {
        const { href } = new URL(`http://${encodeURIComponent(user)}:${encodeURIComponent(password)}@proxy.example:1/`);
        expect(redactSecrets(`through ${href} now`)).toBe('through http://***@proxy.example:1/ now');
      }),
    );
  });

  it('changes nothing the second time', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(redactSecrets(redactSecrets(text))).toBe(redactSecrets(text));
      }),
    );
  });
});
