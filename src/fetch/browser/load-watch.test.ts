import { EventEmitter } from 'node:events';
import type { Browser } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../platform/clock.ts';
import { CurlewError, ErrorCode } from '../../platform/errors.ts';
import { HopError } from '../http/failure-code.ts';
import { LoadWatch } from './load-watch.ts';
import { PageTraffic } from './page-traffic.ts';

function watch(isConnected = true): LoadWatch {
  const browser = Object.assign(new EventEmitter(), { isConnected: () => isConnected }) as unknown as Browser;
  const admit = () => Promise.reject(new Error('nothing is asked'));
  const url = new URL('http://court.example/');
  const traffic = new PageTraffic({ url, headers: [], admit, maxBytes: 1, clock: systemClock });
  const { signal } = new AbortController();
  const made = new LoadWatch({ browser, traffic, signal, clock: systemClock, totalMs: 60_000, downloads: false });
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
