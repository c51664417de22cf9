import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../platform/fake-clock.ts';
import { MAX_ROBOTS_BODY_BYTES, type RobotsAnswer } from './load-robots.ts';
import { MemoryRobotsStore, type RobotsRecord } from './robots-store.ts';
import { allowed, DAY_MS, file, MINUTE_MS, refused, setUp, status } from './sample-policy.ts';

describe('RobotsPolicy', () => {
  it('goes by the rules for its agent and hands on the crawl-delay in ms', async () => {
    const { check } = setUp(() =>
      file('User-agent: Curlew\nCrawl-delay: 1.5\nDisallow: /x\nUser-agent: *\nDisallow: /'),
    );
    expect(await check('/x/1')).toEqual({ kind: 'disallowed', rule: 'Disallow: /x (line 3)' });
    expect(await check('/y')).toEqual({ kind: 'allowed', crawlDelayMs: 1_500 });
  });

  it('says of every record when it comes into force, once', async () => {
    const { inForce, check } = setUp(() => file('User-agent: *\nDisallow: /x'));
    await check('/x');
    await check('/y');
    expect(inForce).toMatchObject([['https://court.example', { kind: 'found', reason: 'HTTP 200' }]]);
  });

  it('goes by another product token when told to', async () => {
    const { check } = setUp(() => file('User-agent: other\nDisallow: /'), { agent: 'Other' });
    expect(await check()).toMatchObject({ kind: 'disallowed' });
  });

  it.each(['', 'curlew/1.0', 'two words', 'bot2'])('refuses %j as a product token', (agent) => {
    expect(() => setUp(() => status(404), { agent })).toThrow(
      expect.objectContaining({
        code: 'invalid_parameter',
        message: `The robots.txt agent '${agent}' is not a product token`,
        remedy: 'Use letters, "_" and "-" only, without a version (RFC 9309 §2.2.1).',
      }),
    );
  });

  it('asks once per origin, however many wait', async () => {
    const { asked, check } = setUp(() => file('User-agent: *\nDisallow: /x'));
    const decisions = await Promise.all(Array.from({ length: 50 }, (_, index) => check(`/${index}`)));
    expect(decisions).toEqual(Array(50).fill(allowed));
    await check('/', 'http://court.example');
    await check('/', 'https://court.example:8443');
    expect(asked).toEqual([
      'https://court.example/robots.txt',
      'http://court.example/robots.txt',
      'https://court.example:8443/robots.txt',
    ]);
  });

  it('never asks when robots is off, nor for robots.txt itself', async () => {
    const off = setUp(() => file('User-agent: *\nDisallow: /'), { mode: 'off' });
    expect(await off.check()).toEqual(allowed);
    const on = setUp(() => file('User-agent: *\nDisallow: /'));
    expect(await on.check('/robots.txt?x')).toEqual(allowed);
    expect([...off.asked, ...on.asked]).toEqual([]);
  });

  it('sees a change in the middle of a run, once a day has passed', async () => {
    let text = 'User-agent: *\nDisallow: /x';
    const { clock, asked, check } = setUp(() => file(text));
    expect(await check()).toMatchObject({ kind: 'disallowed' });
    text = '';
    await clock.advance(DAY_MS - 1);
    expect(await check()).toMatchObject({ kind: 'disallowed' });
    await clock.advance(1);
    expect(await check()).toEqual(allowed);
    expect(asked).toHaveLength(2);
  });

  it('goes by the store after a restart', async () => {
    const before = setUp(() => file('User-agent: *\nDisallow: /x'));
    await before.check();
    const after = setUp(() => status(404), {}, before.store, before.clock);
    expect(await after.check()).toMatchObject({ kind: 'disallowed' });
    expect(after.asked).toEqual([]);
  });

  it('asks again when the stored record is from the future, for the clock was set back', async () => {
    const store = new MemoryRobotsStore();
    const clock = new FakeClock();
    await store.set('https://court.example', {
      kind: 'found',
      text: 'User-agent: *\nDisallow: /',
      fetchedAt: clock.now() + 1,
      reason: 'HTTP 200',
    });
    const { check } = setUp(() => status(404), {}, store, clock);
    expect(await check()).toEqual(allowed);
  });

  it('keeps answering for more origins than it keeps at hand', async () => {
    const { asked, check } = setUp(() => file('User-agent: *\nDisallow: /x'));
    for (let round = 0; round < 2; round++) {
      for (let host = 0; host < 300; host++) {
        expect(await check('/x', `https://court-${host}.example`)).toMatchObject({ kind: 'disallowed' });
      }
    }
    expect(asked).toHaveLength(300);
  });

  /** A policy, and how often it goes to its store to decide about a host. */
  function watched(answer: (url: string) => RobotsAnswer) {
    let reads = 0;
    class WatchedStore extends MemoryRobotsStore {
      override get(origin: string) {
        reads++;
        return super.get(origin);
      }
    }
    const { clock, check } = setUp(answer, {}, new WatchedStore());
    const readsOf = async (host: number) => {
      reads = 0;
      await check('/x', `https://court-${host}.example`);
      return reads;
    };
    return { clock, readsOf };
  }

  it('keeps the latest 256 files at hand, and goes to the store for the others', async () => {
    const { clock, readsOf } = watched(() => status(404));
    for (let host = 0; host < 256; host++) expect(await readsOf(host)).toBeGreaterThan(0);
    expect(await readsOf(0)).toBe(0);
    await readsOf(256);
    expect([await readsOf(1), await readsOf(256), await readsOf(0)]).toEqual([0, 0, 1]);
    // One that is asked for anew is the latest again.
    await clock.advance(DAY_MS);
    expect(await readsOf(3)).toBeGreaterThan(0);
    await readsOf(300);
    await readsOf(301);
    expect(await readsOf(3)).toBe(0);
  });

  it('keeps no more than 8 Mi characters of them at hand, however few they are', async () => {
    const half = file('#'.repeat(2 ** 18));
    const { clock, readsOf } = watched(() => half);
    for (let host = 0; host < 32; host++) await readsOf(host);
    expect(await readsOf(0)).toBe(0);
    await readsOf(32);
    expect([await readsOf(1), await readsOf(32), await readsOf(0)]).toEqual([0, 0, 1]);
    // What is asked for anew does not count twice.
    await clock.advance(DAY_MS);
    for (let host = 2; host < 34; host++) await readsOf(host);
    expect([await readsOf(2), await readsOf(33)]).toEqual([0, 0]);
  });

  it('reads no more of an endless file than the parser does', async () => {
    const line = 'Disallow: /x\n';
    const body = `User-agent: *\n${line.repeat(MAX_ROBOTS_BODY_BYTES / line.length)}Disallow: /late`;
    const { store, checkPatiently } = setUp(() => file(body));
    expect(await checkPatiently('/late')).toEqual(allowed);
    const record = await store.get('https://court.example');
    expect(record?.kind === 'found' && record.text.length).toBe(MAX_ROBOTS_BODY_BYTES);
  });

  it('reads a file of 500 KiB to its last byte', async () => {
    const rule = 'Disallow: /late';
    const head = 'User-agent: *\n#';
    const { check } = setUp(() => file(`${head}${'x'.repeat(500 * 1_024 - head.length - 1 - rule.length)}\n${rule}`));
    expect(await check('/late')).toEqual({ kind: 'disallowed', rule: 'Disallow: /late (line 3)' });
  });

  it.each([
    ['Disallow: /%7Ebob/', '/%7Ebob/x', '/~bob/x', '/%7ebob/x'],
    ['Disallow: /~bob/', '/%7Ebob/x', '/~bob/x', '/%7ebob/x'],
    ['Disallow: /%C3%A9%62', '/%c3%a9b', '/%C3%A9%62'],
  ])('compares escapes by what they mean: %j', async (rule, ...paths) => {
    const { check } = setUp(() => file(`User-agent: *\n${rule}`));
    for (const path of paths) expect(await check(path)).toMatchObject({ kind: 'disallowed' });
    expect(await check('/%2F~bob/')).toEqual(allowed);
  });

  it('reads rules in any encoding by their bytes, however much else is in it', async () => {
    const comment = Buffer.concat([Buffer.from('#'), Buffer.alloc(400 * 1_024, 0xe9), Buffer.from('\n')]);
    const rules = Buffer.from('User-agent: *\nDisallow: /caf\xe9/ # \xe9\nDisallow: /\xe8*x', 'latin1');
    const { check } = setUp(() => ({ ...status(200), body: Buffer.concat([comment, rules]) }));
    expect(await check('/caf%E9/x')).toEqual({ kind: 'disallowed', rule: 'Disallow: /caf%E9/ (line 3)' });
    expect(await check('/%E8/x')).toMatchObject({ kind: 'disallowed' });
    expect(await check('/caf%C3%A9/x')).toEqual(allowed);
  });

  it('takes a file for UTF-8 though the limit cuts a letter of it in two', async () => {
    const head = 'User-agent: *\nDisallow: /\u00e9\n#';
    const text = `${head}${'x'.repeat(MAX_ROBOTS_BODY_BYTES - Buffer.byteLength(head) - 1)}\u00e9`;
    const { store, check } = setUp(() => ({ ...status(200), body: Buffer.from(text) }));
    expect(await check('/%C3%A9')).toEqual({ kind: 'disallowed', rule: 'Disallow: /\u00e9 (line 2)' });
    expect(await store.get('https://court.example')).toMatchObject({ text: expect.stringContaining('/\u00e9') });
  });

  it('goes by what another process asked for in the meantime', async () => {
    const clock = new FakeClock();
    const record: RobotsRecord = {
      kind: 'found',
      text: 'User-agent: *\nDisallow: /x',
      fetchedAt: clock.now(),
      reason: '',
    };
    class SharedStore extends MemoryRobotsStore {
      override async alone<T>(origin: string, _signal: AbortSignal, work: () => Promise<T>): Promise<T> {
        await this.set(origin, record);
        return work();
      }
    }
    const { asked, check } = setUp(() => status(404), {}, new SharedStore(), clock);
    expect(await check()).toMatchObject({ kind: 'disallowed' });
    expect(asked).toEqual([]);
  });

  it('goes on for the others when one who waits is aborted', async () => {
    const web = Promise.withResolvers<RobotsAnswer>();
    const { asked, signals, check } = setUp(() => web.promise);
    const impatient = new AbortController();
    const first = check('/x', 'https://court.example', impatient.signal);
    const second = check();
    impatient.abort(new Error('no time'));
    await expect(first).rejects.toThrow('no time');
    web.resolve(file('User-agent: *\nDisallow: /x'));
    expect(await second).toMatchObject({ kind: 'disallowed' });
    expect(asked).toHaveLength(1);
    expect(signals[0]?.aborted).toBe(false);
  });

  it('stops asking when all who wait are aborted, and leaves no timer', async () => {
    const { clock, asked, store, check } = setUp(() => refused);
    const impatient = new AbortController();
    const given = expect(check('/x', 'https://court.example', impatient.signal)).rejects.toThrow('no time');
    await clock.advance(1_000);
    impatient.abort(new Error('no time'));
    await given;
    await clock.advance(MINUTE_MS);
    expect(asked).toHaveLength(1);
    expect(clock.waiting).toBe(0);
    expect(await store.get('https://court.example')).toBeUndefined();
  });
});
