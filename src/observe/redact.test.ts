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
    ['an encoded name', 'https://court.example/?user%5Bpassword%5D=hunter2', 'hunter2'],
    ['a token with a semicolon in it', 'https://court.example/?token=a;hunter2&b=1', 'hunter2'],
    ['a quoted cookie in JSON', JSON.stringify({ said: 'cookie: sid="hunter2"' }), 'hunter2'],
    ['a digest', JSON.stringify({ said: 'Authorization: Digest a="b", response="hunter2"' }), 'hunter2'],
    ['a quoted password', JSON.stringify({ said: 'password: "it\'s hunter2"' }), 'hunter2'],
    ['a password with a quote in it', JSON.stringify({ password: 'a"hunter2' }), 'hunter2'],
    ['a key in a header', JSON.stringify({ headers: [['X-Api-Key', 'hunter2']] }), 'hunter2'],
    ['a basic credential', 'Basic aHVudGVyMjpodW50ZXIy', 'aHVudGVyMjpodW50ZXIy'],
    ['the code of a signed stream', 'https://dl.example/d?hdnts=exp=1~acl=/*~hmac=hunter2', 'hunter2'],
    ['a token behind a hash', 'https://court.example/#access_token=hunter2&b=1', 'hunter2'],
    [
      'a token of an address within an address',
      'https://court.example/?r=https%3A%2F%2Fy%2F%3Fa%3D1%26access_token%3Dhunter2&b=1',
      'hunter2',
    ],
    ['a short name of an address within an address', 'https://court.example/?r=%2Fy%3Fkey%3Dhunter2', 'hunter2'],
    ['a token of an address within two', 'https://court.example/?r=%2F%3Fs%3D%252F%253Ftoken%253Dhunter2', 'hunter2'],
    ['a password of an address within an address', 'GET /?r=http%3A%2F%2Fu%3Ahunter2%40h%2F 200', 'hunter2'],
    ['a password of an address within two', 'GET /?r=%3Fs%3Dhttp%253A%252F%252Fu%253Ahunter2%2540h', 'hunter2'],
    ['cookies in a list', '{"cookie":["a=hunter2","b=hunter2"]}', 'hunter2'],
    ['cookies in a list, in a sentence', 'it sent {"set-cookie":["a=hunter2","]hunter2"]} twice', 'hunter2'],
    ['a token in a list, in a sentence cut short', 'it sent {"token":["hunter2","a]hunter2', 'hunter2'],
    ['a token in a list in JSON in a string', JSON.stringify({ said: 'it sent {"token":["hunter2"]}' }), 'hunter2'],
    ['the same, cut short', JSON.stringify({ said: 'it sent {"token":["hunter2' }), 'hunter2'],
    ['a list that Python wrote', "it sent {'token': ['hunter2']}", 'hunter2'],
    ['a number', 'it sent {"password":7777777}', '7777777'],
    ['a number in JSON that was cut short', '"{\\"password\\":7777777', '7777777'],
    ['a name that JSON escapes', '{"\\u0074oken":"hunter2"}', 'hunter2'],
    ['a key that JSON gives a proxy', '{"http://bob:hunter2@proxy.example":1}', 'hunter2'],
  ])('hides %s', (_, text, secret) => {
    expect(redactSecrets(text)).not.toContain(secret);
    expect(redactSecrets(text)).toContain('***');
  });

  it.each([
    'PHPSESSID',
    'key',
    'jwt',
    'pass',
    'hmac',
    'session',
    'credentials',
    'auth_key',
    'subscription-key',
    'AWSAccessKeyId',
    'ticket',
    'otp',
    'oauth_verifier',
    'token[]',
    'user[password]',
  ])('hides the parameter %s of an address', (name) => {
    expect(redactSecrets(`GET https://court.example/?a=1&${name}=hunter2 403`)).toBe(
      `GET https://court.example/?a=1&${name}=*** 403`,
    );
  });

  it.each([
    'GET https://court.example/case/17?page=2&since=2026-01-01 200 in 31 ms',
    '{"kind":"retry","reason":"500 Internal Server Error","due":1700000000}',
    'robots.txt: Disallow: /private/ (line 3)',
    'user@example.org wrote',
    '{"session":"default","key":"case-17","at":1700000000}',
    'GET https://court.example/?keyword=a&passport=b&sessions=c',
    'https://court.example/a@b',
    'https://court.example/?r=http%3A%2F%2Fh%2F%3Fmail%3Da%40b%26keyword%3Dc&ticketing=1',
    '{"ticket":"A-17","tickets":["B"],"note":"ticket: A-17"}',
    '{"token":null,"password":true,"cookies":[],"tokens":3}',
    '["id","ticket","name"]',
    '{"a":"cookie","b":"c"}',
    '{ "spaced" : [1.0, 1e400, 12345678901234567890], "a":1, "a":2, "\\u0061":"\\/" }',
  ])('leaves %j as it is', (text) => {
    expect(redactSecrets(text)).toBe(text);
  });

  const name = fc.constantFrom(
    ...['token', 'ajax_nonce', 'user[password]', 'Set-Cookie', 'authorization', 'X-Api-Key', 'auth', 'apiKey', 'sid'],
  );
  // Strings that look like the rest of some JSON, or name a secret and do not say it.
  const tricky = fc.oneof(
    fc.string(),
    fc
      .array(
        fc.oneof(
          name,
          fc.constantFrom('=', ':', ',', '"', "'", '\\', '[', ']', '{', '}', ' ', '\n', '?', '&', '%3D', '="', '***'),
        ),
        { maxLength: 8 },
      )
      .map((pieces) => pieces.join('')),
  );
  const json = fc.letrec<{ value: unknown; object: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      tricky,
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('value'), { maxLength: 4 }),
      tie('object'),
      tie('value').map((value) => JSON.stringify(value)),
    ),
    object: fc.dictionary(tricky, tie('value'), { maxKeys: 4 }),
  })).value;
  const SECRET = 'hunter2 4711';
  const secret = fc.oneof(
    fc.constant(SECRET),
    fc.constant(4711),
    fc.tuple(tricky, tricky).map(([before, after]) => `${before}${SECRET}${after}`),
    fc.array(fc.constantFrom(SECRET, 4711, `"]${SECRET}`), { minLength: 1 }),
    fc.dictionary(tricky, fc.constantFrom([SECRET], { a: 4711 }), { minKeys: 1 }),
  );

  it('leaves JSON that is JSON, whatever is in it', () => {
    fc.assert(
      fc.property(json, fc.constantFrom(undefined, 2), (value, indent) => {
        const redacted = redactSecrets(JSON.stringify(value, null, indent));
        expect(() => JSON.parse(redacted)).not.toThrow();
        expect(redactSecrets(redacted)).toBe(redacted);
      }),
      { numRuns: 5_000 },
    );
  });

  it('hides what JSON has under the name of a secret, whatever it is and wherever, and nothing beside it', () => {
    const wrap = fc.constantFrom<(inner: unknown) => unknown>(
      (inner) => ({ a: 'b', inner, c: 1 }),
      (inner) => [1, inner, 'x'],
      (inner) => ({ said: JSON.stringify(inner) }),
      (inner) => inner,
    );
    fc.assert(
      fc.property(name, secret, fc.array(wrap, { maxLength: 6 }), (name, secret, wraps) => {
        const nested = (found: unknown) =>
          wraps.reduce((inner, wrap) => wrap(inner), { before: 'x', [name]: found, after: [1] } as unknown);
        expect(JSON.parse(redactSecrets(JSON.stringify(nested(secret))))).toEqual(nested('***'));
      }),
      { numRuns: 5_000 },
    );
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

  // Fails by taking longer than a test may: half a megabyte of a robots.txt took a quarter of an hour.
  it.each([
    '\\\\',
    'x-',
    'a.',
    'x:',
    '?a',
    '"a',
    ' a',
    '=',
    'token ',
    '"token"',
    'cookie ',
    'basic ',
    '/d/1',
    '://',
    'a[%',
    '[',
    '{"token":',
    '"token":[',
    '"token":{"',
    '\\"token\\":',
    'token]',
    'token=',
    'cookie:="',
    '="',
    '%3A%2F%2F',
    '%3F',
    '%26key',
    '%25',
  ])('takes no longer than it is long for text full of %j', (piece) => {
    expect(redactSecrets(piece.repeat(500_000 / piece.length))).toMatch(/./);
  });

  it.each(['"', '\\', '[', '{', 'token=', '{"token":', '%25'])(
    'takes no longer for JSON that is full of %j',
    (piece) => {
      const text = piece.repeat(500_000 / piece.length);
      for (const value of [text, { token: text }, { text: [text, { said: JSON.stringify(text) }] }]) {
        expect(JSON.parse(redactSecrets(JSON.stringify(value)))).toBeDefined();
      }
      expect(redactSecrets(`${'['.repeat(500_000)}${']'.repeat(500_000)}`)).toHaveLength(1_000_000);
    },
  );

  it('changes nothing the second time', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(redactSecrets(redactSecrets(text))).toBe(redactSecrets(text));
      }),
    );
  });
});
