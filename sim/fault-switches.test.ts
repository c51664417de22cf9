import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FakeClock } from '../src/platform/fake-clock.ts';
import type { DownFault, RequestFault } from './fault.ts';
import { FaultSwitches } from './fault-switches.ts';

class RecordingDoor {
  readonly moves: string[] = [];
  shut(how: DownFault['how']): void {
    this.moves.push(how);
  }
  async open(): Promise<void> {
    this.moves.push('open');
  }
}

function setUp(seed = 1) {
  const clock = new FakeClock();
  const door = new RecordingDoor();
  return { clock, door, faults: new FaultSwitches({ clock, seed, door }) };
}

const UNAVAILABLE: RequestFault = { kind: 'status', status: 503 };

describe('FaultSwitches', () => {
  it('strikes nothing when nothing is set', () => {
    expect(setUp().faults.strike('GET', '/')).toBeUndefined();
  });

  it('strikes by prefix of path and query', () => {
    const { faults } = setUp();
    faults.set({ ...UNAVAILABLE, path: '/list/civil?page=7' });
    expect(faults.strike('GET', '/list/civil?page=6')).toBeUndefined();
    expect(faults.strike('GET', '/list/civil?page=7')).toMatchObject({ status: 503 });
  });

  it('strikes by regular expression, a global one too', () => {
    const { faults } = setUp();
    faults.set({ ...UNAVAILABLE, path: /^\/case\/3\d\d$/g });
    const struck = ['/case/300', '/case/301', '/case/30', '/case/302'].filter((path) => faults.strike('GET', path));
    expect(struck).toEqual(['/case/300', '/case/301', '/case/302']);
  });

  it('lets the first switch that applies strike alone', () => {
    const { faults } = setUp();
    faults.set({ kind: 'status', status: 503, path: '/a', count: 1 });
    faults.set({ kind: 'status', status: 429 });
    expect(['/a', '/a', '/b'].map((path) => faults.strike('GET', path))).toMatchObject([
      { status: 503 },
      { status: 429 },
      { status: 429 },
    ]);
  });

  it('strikes exactly the next `count` requests that match', () => {
    const paths = fc.array(fc.constantFrom('/a', '/a/1', '/b'), { maxLength: 30 });
    fc.assert(
      fc.property(paths, fc.integer({ min: 1, max: 10 }), (asked, count) => {
        const { faults } = setUp();
        faults.set({ ...UNAVAILABLE, path: '/a', count });
        const struck = asked.map((path) => faults.strike('GET', path) !== undefined);
        let left = count;
        expect(struck).toEqual(asked.map((path) => path.startsWith('/a') && left-- > 0));
      }),
    );
  });

  it('strikes only what is about its token', () => {
    const { faults } = setUp();
    faults.set({ ...UNAVAILABLE, path: '/ajax', token: 'A1' });
    const struck = [undefined, 'A1', 'A12'].filter((token) => faults.strike('POST', '/ajax', token) !== undefined);
    expect(struck).toEqual(['A1']);
    expect(faults.strike('POST', '/other', 'A1')).toBeUndefined();
  });

  it('lets the first `after` pass, and then counts', () => {
    const { faults } = setUp();
    faults.set({ ...UNAVAILABLE, path: '/a', after: 2, count: 1 });
    const struck = ['/a', '/b', '/a', '/a', '/a'].map((path) => faults.strike('GET', path) !== undefined);
    expect(struck).toEqual([false, false, false, true, false]);
  });

  it('draws by token where there is one, so that addresses that change do not matter', () => {
    const struckOf = (prefix: string) => {
      const { faults } = setUp(5);
      faults.set({ ...UNAVAILABLE, rate: 0.5 });
      return Array.from({ length: 50 }, (_, n) => faults.strike('GET', `${prefix}${n}`, `T${n}`) !== undefined);
    };
    expect(struckOf('/first/')).toEqual(struckOf('/second/'));
    expect(new Set(struckOf('/first/')).size).toBe(2);
  });

  it('draws the same requests in whatever order they come', () => {
    const paths = fc.array(fc.constantFrom('/a', '/b', '/c', '/d'), { maxLength: 30 });
    const seeds = fc.integer({ min: 0, max: 1_000 });
    fc.assert(
      fc.property(paths, seeds, (asked, seed) => {
        const struckOf = (order: readonly string[]) => {
          const { faults } = setUp(seed);
          faults.set({ ...UNAVAILABLE, rate: 0.5 });
          return order.filter((path) => faults.strike('GET', path) !== undefined).sort();
        };
        expect(struckOf([...asked].sort())).toEqual(struckOf(asked));
      }),
    );
  });

  it('strikes about the share that `rate` says', () => {
    const { faults } = setUp(3);
    faults.set({ ...UNAVAILABLE, rate: 0.2 });
    const struck = Array.from({ length: 2_000 }, (_, id) => faults.strike('GET', `/case/${id}`)).filter(Boolean);
    expect(struck.length).toBeGreaterThan(340);
    expect(struck.length).toBeLessThan(460);
  });

  it('ends when its time is over', async () => {
    const { clock, faults } = setUp();
    faults.set({ ...UNAVAILABLE, forMs: 3_000 });
    await clock.advance(2_999);
    expect(faults.strike('GET', '/')).toBeDefined();
    await clock.advance(1);
    expect(faults.strike('GET', '/')).toBeUndefined();
    expect(faults.active()).toEqual([]);
  });

  it('clears one by its id and leaves the others', async () => {
    const { faults } = setUp();
    const first = faults.set({ ...UNAVAILABLE, path: '/a' });
    faults.set({ ...UNAVAILABLE, path: '/b' });
    await faults.clear(first);
    expect(faults.active().map(({ fault }) => fault)).toEqual([{ ...UNAVAILABLE, path: '/b' }]);
  });

  it('holds until it is cleared, also when it is used up, and whatever else is cleared', async () => {
    const { faults } = setUp();
    const hold = { kind: 'hold', path: '/a', count: 1 } as const;
    const [first, second] = [faults.set(hold), faults.set(hold)];
    const signals = ['/a', '/a', '/a'].map((path) => {
      const fault = faults.strike('GET', path);
      return fault?.kind === 'hold' ? faults.cleared(fault) : undefined;
    });
    const held = () => signals.map((signal) => signal?.aborted === false);
    expect(faults.active()).toEqual([]);
    expect(held()).toEqual([true, true, false]);
    await faults.clear(second);
    expect(held()).toEqual([true, false, false]);
    await faults.clear(first);
    expect(held()).toEqual([false, false, false]);
  });

  it('has cleared a hold that is asked about too late', async () => {
    const { faults } = setUp();
    faults.set({ kind: 'hold' });
    const fault = faults.strike('GET', '/');
    await faults.clear();
    expect(fault?.kind === 'hold' && faults.cleared(fault).aborted).toBe(true);
  });

  it('shuts the door at once and opens it when the outage is over', async () => {
    const { clock, door, faults } = setUp();
    faults.set({ kind: 'down', how: 'refuse', forMs: 7_200_000 });
    await clock.advance(7_199_999);
    expect(door.moves).toEqual(['refuse']);
    await clock.advance(1);
    expect(door.moves).toEqual(['refuse', 'open']);
  });

  it('opens the door once when the outage is cleared before its time', async () => {
    const { clock, door, faults } = setUp();
    faults.set({ kind: 'down', how: 'reset', forMs: 1_000 });
    await faults.clear();
    await clock.advance(2_000);
    expect(door.moves).toEqual(['reset', 'open']);
  });

  it('refuses a second outage while the first lasts', () => {
    const { faults } = setUp();
    faults.set({ kind: 'down', how: 'reset' });
    expect(() => faults.set({ kind: 'down', how: 'refuse' })).toThrow('The site is already down');
  });
});
