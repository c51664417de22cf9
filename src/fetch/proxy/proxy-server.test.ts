import { describe, expect, it } from 'vitest';
import { parseProxy, redactProxy } from './proxy-server.ts';

describe('parseProxy', () => {
  it.each([
    ['http://proxy.example:3128', 'http', 'proxy.example', 3128, undefined],
    ['http://proxy.example', 'http', 'proxy.example', 80, undefined],
    ['https://proxy.example', 'https', 'proxy.example', 443, undefined],
    ['socks5://[::1]:9050', 'socks5', '::1', 9050, undefined],
    ['socks5h://proxy.example', 'socks5', 'proxy.example', 1080, undefined],
    ['socks://proxy.example', 'socks5', 'proxy.example', 1080, undefined],
    ['http://me:p%40ss@proxy.example:1', 'http', 'proxy.example', 1, { user: 'me', password: 'p@ss' }],
    ['http://:token@proxy.example:1', 'http', 'proxy.example', 1, { user: '', password: 'token' }],
    ['http://:@proxy.example:1', 'http', 'proxy.example', 1, undefined],
    ['http://token@proxy.example:1', 'http', 'proxy.example', 1, { user: 'token', password: '' }],
  ])('reads %s', (text, scheme, host, port, credentials) => {
    expect(parseProxy(text)).toEqual({ scheme, host, port, credentials });
  });

  it.each(['proxy.example:3128', 'ftp://u:secret@proxy.example', 'socks4://secret@x', '', 'http://%zz:secret@x/'])(
    'refuses "%s" without repeating a secret',
    (text) => {
      expect(() => parseProxy(text)).toThrowError(
        expect.objectContaining({ code: 'usage', message: expect.not.stringContaining('secret') }),
      );
    },
  );
});

describe('redactProxy', () => {
  it.each([
    ['http://user:secret@proxy.example:3128/path?x', 'http://proxy.example:3128'],
    ['socks5://user:secret@[::1]:1080', 'socks5://[::1]:1080'],
    ['user:secret', 'the proxy given'],
  ])('shows %s as %s', (text, shown) => {
    expect(redactProxy(text)).toBe(shown);
  });

  it('shows a parsed proxy alike', () => {
    expect(redactProxy(parseProxy('socks5://user:secret@[::1]'))).toBe('socks5://[::1]:1080');
  });
});
