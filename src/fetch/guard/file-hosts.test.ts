import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { VARIABLES } from '../../mirror/config/mirror-config.ts';
import { fileHostTest, findFileHostFault } from './file-hosts.ts';

const usual = fileHostTest(VARIABLES.fileHosts.fallback);

describe('the file servers of the court', () => {
  it.for([
    'https://dl.boxcloud.com/d/1/x/download',
    'https://public.boxcloud.com/x',
    'https://app.box.com/shared/static/x.pdf',
    'https://DL.BoxCloud.COM/d/1/x',
    'https://dl.boxcloud.com:443/x',
    'https://a.b.c.box.com/x',
  ])('%s is one', (address) => {
    expect(usual(new URL(address))).toBe(true);
  });

  it.for([
    'http://dl.boxcloud.com/x',
    'https://evilbox.com/x',
    'https://evil-box.com/x',
    'https://box.com.evil.org/x',
    'https://dl.boxcloud.com.evil.org/x',
    'https://dl.boxcloud.com@evil.org/x',
    'https://user:word@dl.boxcloud.com/x',
    'https://evil.org\\@dl.boxcloud.com/x',
    'https://evil.org/https://dl.boxcloud.com/x',
    'https://evil.org/?u=dl.boxcloud.com',
    'https://evil.org#.box.com',
    'https://dl.boxcloud.com:8443/x',
    'https://dl.boxcloud.com./x',
    'https://.box.com/x',
    'https://box.com/x',
    'https://127.0.0.1/x',
    'http://127.0.0.1:8019/x',
    'https://[::1]/x',
    'https://dl.b\u043ex.com/x',
    'ftp://dl.boxcloud.com/x',
    'data:application/pdf,dl.box.com',
  ])('%s is none', (address) => {
    const url = URL.parse(address);
    expect(url === null ? false : usual(url)).toBe(false);
  });

  it('is none whose last two labels are others, whatever stands around them', () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true }), (address) => {
        const url = new URL(address);
        const isBox = url.protocol === 'https:' && url.port === '' && /\.(?:box|boxcloud)\.com$/.test(url.hostname);
        expect(usual(url)).toBe(isBox && url.username === '');
      }),
      // Making such an address takes long.
      { numRuns: 30 },
    );
  });

  it('can be set, plain http and ports only when they are named', () => {
    const set = fileHostTest('http://127.0.0.1:8019, *.files.example https://[::1]:* plain.example');
    const told = ['http://127.0.0.1:8019/a', 'https://x.files.example/', 'https://[::1]:99/', 'https://plain.example/'];
    expect(told.map((address) => set(new URL(address)))).toEqual([true, true, true, true]);
    const others = [
      'http://127.0.0.1:8018/a',
      'https://127.0.0.1:8019/a',
      'http://x.files.example/',
      'https://files.example/',
      'http://[::1]:99/',
      'https://x.plain.example/',
      'https://dl.boxcloud.com/',
    ];
    expect(others.filter((address) => set(new URL(address)))).toEqual([]);
  });

  it.for(['', ' , ', 'https://', '*', '*.', 'box.com/path', 'ftp://box.com', 'user@box.com', 'box.com:99999'])(
    'cannot be set to %j',
    (list) => {
      expect(findFileHostFault(list)).toMatch(/must/);
    },
  );
});
