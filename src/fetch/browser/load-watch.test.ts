import { EventEmitter } from 'node:events';
import type { Browser } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Clock, systemClock } from '../../platform/clock.ts';
import { CurlewError, ErrorCode } from '../../platform/errors.ts';
import { HopError } from '../http/failure-code.ts';
import { LoadWatch } from './load-watch.ts';
import { PageTraffic } from './page-traffic.ts';

function watch(isConnected = true, clock: Clock = systemClock, totalMs = 60_000, waits = false): LoadWatch {
  const browser = Object.assign(new EventEmitter(), { isConnected: () => isConnected }) as unknown as Browser;
  const admit = () => Promise.reject(new Error('nothing is asked'));
  const url = new URL('http://court.example/');
  const traffic = new PageTraffic({ url, headers: [], admit, maxBytes: 1, clock });
  if (waits) void traffic.waits.wait(() => new Promise(() => {}));
  const { signal } = new AbortController();
  const made = new LoadWatch({ browser, traffic, signal, clock, totalMs, downloads: false });
  onTestFinished(() => made.stop());
  return made;
}

describe('what Chromium cannot do', () => {
  it('is a failure of the load, whatever it says', async () => {
    const said = new Error('cdpSession.send: Protocol error\nCall log: …');
    await expect(watch().chromium(Promise.reject(said))).rejects.toMatchObject({
      name: 'BrowserError',
      code: 'navigation_failed',
      message: 'Chromium gave up: cdpSession.send: Protocol error',
    });
  });

  it('is nobody’s fault when it is gone', async () => {
    const working = watch(false).chromium(Promise.reject(new Error('Target closed')));
    await expect(working).rejects.toMatchObject({ code: 'browser_crashed' });
  });

  it.each([new HopError('tls', 'no'), new CurlewError(ErrorCode.selectorSyntax, 'no')])(
    'keeps the name it has ($name)',
    async (error) => {
      await expect(watch().chromium(Promise.reject(error))).rejects.toBe(error);
    },
  );
});

describe('waiting at the gates', () => {
  const HOUR = 3_600_000;
  /** An hour less a moment goes by at once, and the rest after so many looks. */
  function jumping(looks: number): Clock & { readonly isLate: boolean } {
    let looked = -2;
    return {
      ...systemClock,
      now: () => 0,
      get isLate() {
        return looked >= looks;
      },
      monotonic() {
        looked += 1;
        if (looked <= 0) return 0;
        return looked < looks ? HOUR - 1 : HOUR + 1_000;
      },
    };
  }
  const never = new Promise<never>(() => {});

  it('takes nothing of the time of a load, but no more than an hour', async () => {
    const clock = jumping(6);
    await expect(watch(true, clock, 50, true).until(never)).rejects.toMatchObject({ code: 'total_timeout' });
    expect(clock.isLate).toBe(true);
  });

  it('takes nothing of the time for one thing, but no more than that of a load', async () => {
    const clock = jumping(6);
    expect(await watch(true, clock, HOUR, true).within(50, never)).toBeUndefined();
    expect(clock.isLate).toBe(true);
  });
});
