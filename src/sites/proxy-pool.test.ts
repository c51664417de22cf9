import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ProxyPool, pickWay, poolOf, type Way } from './proxy-pool.ts';
import { type ProxyStrategy, placeGeo } from './proxy-strategy.ts';

const DATACENTER = ['http://a.example:1', 'http://b.example:1', 'http://c.example:1'];
const RESIDENTIAL = ['http://x.example:1', 'http://y.example:1'];

function pool(strategy: ProxyStrategy): ProxyPool {
  return poolOf(strategy) ?? expect.fail('no pool');
}

/** The hosts of the ways that are given one after the other. */
function turns(given: ProxyPool, count: number, resting: readonly string[] = []): (string | undefined)[] {
  return Array.from(
    { length: count },
    (_, n) => pickWay(given, ({ name }) => resting.includes(name), { given: n })?.proxy.host.split('.')[0],
  );
}

describe('strategies', () => {
  it('none has no proxies', () => {
    expect(poolOf({ strategy: 'none' })).toBeUndefined();
  });

  it('datacenter gives its proxies in turn, without those that rest', () => {
    const datacenter = pool({ strategy: 'datacenter', datacenter: DATACENTER });
    expect(turns(datacenter, 4)).toEqual(['a', 'b', 'c', 'a']);
    expect(turns(datacenter, 3, ['http://b.example:1'])).toEqual(['a', 'c', 'a']);
    expect(turns(datacenter, 1, DATACENTER)).toEqual([undefined]);
  });

  it('datacenter-to-residential falls over only when all datacenter ones rest', () => {
    const both = pool({ strategy: 'datacenter-to-residential', datacenter: DATACENTER, residential: RESIDENTIAL });
    expect(turns(both, 3)).toEqual(['a', 'b', 'c']);
    expect(turns(both, 2, DATACENTER.slice(1))).toEqual(['a', 'a']);
    expect(turns(both, 3, DATACENTER)).toEqual(['x', 'y', 'x']);
  });

  it('residential-rotating gives another one each time', () => {
    expect(turns(pool({ strategy: 'residential-rotating', residential: RESIDENTIAL }), 3)).toEqual(['x', 'y', 'x']);
  });

  it('residential-stable keeps to one, until it fails', () => {
    const stable = pool({ strategy: 'residential-stable', residential: RESIDENTIAL });
    const [x, y] = stable.residential;
    const next = (last: Way | undefined, ...resting: readonly (Way | undefined)[]) =>
      pickWay(stable, (way) => resting.includes(way), { given: 9, last });
    expect([next(x), next(y)]).toEqual([x, y]);
    expect([next(x, x), next(y, y), next(x, x, y)]).toEqual([y, x, undefined]);
  });

  it('sessionLimit is the number of ways that take turns', () => {
    expect(turns(pool({ strategy: 'datacenter', datacenter: DATACENTER, sessionLimit: 2 }), 3)).toEqual([
      'a',
      'b',
      'a',
    ]);
  });

  it('geo and session are filled in where the provider wants them', () => {
    const gateway = 'http://me-{geo}-{session}:s3cret@gate.example:7777';
    const given = { strategy: 'residential-rotating', residential: [gateway], sessionLimit: 2 } as const;
    expect(() => placeGeo(given)).toThrow('http://gate.example:7777 wants a geo');
    const rotating = pool(placeGeo({ ...given, geo: 'ky' }));
    const users = [0, 1, 2].map((given) => pickWay(rotating, () => false, { given })?.proxy.credentials?.user);
    expect(users).toEqual(['me-ky-s1', 'me-ky-s2', 'me-ky-s1']);
  });
});

it('a way that rests is never given, and there is one as long as any does not', () => {
  const urls = fc.uniqueArray(
    fc.integer({ min: 1, max: 60_000 }).map((port) => `http://p.example:${port}`),
    {
      minLength: 1,
      maxLength: 6,
    },
  );
  fc.assert(
    fc.property(
      urls,
      fc.array(fc.boolean()),
      fc.nat(100),
      fc.option(fc.integer({ min: 1, max: 4 })),
      (all, mask, given, limit) => {
        const resting = all.filter((_, index) => mask[index]);
        const strategy = {
          strategy: 'datacenter',
          datacenter: all,
          ...(limit !== null && { sessionLimit: limit }),
        } as const;
        const name = pickWay(pool(strategy), (way) => resting.includes(way.name), { given })?.name;
        const free = all.filter((url) => !resting.includes(url)).slice(0, limit ?? undefined);
        expect(name).toBe(free[given % free.length]);
      },
    ),
  );
});
