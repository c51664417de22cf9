import { describe, expect, it } from 'vitest';
import { HOP_FAILURE_CODES } from '../http/failure-code.ts';
import { BROWSER_FAILURE_CODES, type BrowserFailure } from './browser-result.ts';
import { classifyBrowser } from './classify-browser.ts';

const context = { now: 0, conditional: false, retryAfter: () => undefined };
const report = { hops: [], traffic: { sent: 0, refused: 0, refusals: [], failed: 0 }, cookieChanges: [] };
const failure = (code: BrowserFailure['code']): BrowserFailure => ({
  kind: 'failure',
  code,
  reason: 'why',
  document: undefined,
  head: undefined,
  ...report,
});

describe('classifyBrowser', () => {
  it('never blames the site for what only a browser does', () => {
    const meanings = BROWSER_FAILURE_CODES.map((code) => [code, classifyBrowser(failure(code), context)] as const);
    const retriable = meanings.filter(([, meaning]) => meaning.kind === 'url_specific' && meaning.retriable);
    expect(meanings.every(([, meaning]) => meaning.kind === 'url_specific')).toBe(true);
    expect(retriable.map(([code]) => code)).toEqual(['download_failed', 'navigation_failed', 'browser_crashed']);
  });

  it('means with the codes of plain HTTP what plain HTTP means', () => {
    for (const code of HOP_FAILURE_CODES)
      expect(classifyBrowser(failure(code), context)).toMatchObject({ failure: code });
    expect(classifyBrowser(failure('dns'), context).kind).toBe('site_wide');
    expect(classifyBrowser(failure('address_refused'), context)).toMatchObject({
      kind: 'url_specific',
      retriable: false,
    });
  });

  it('skips what was refused', () => {
    const refused = { kind: 'refused', url: 'http://x/', reason: 'robots.txt', ...report } as const;
    expect(classifyBrowser(refused, context)).toEqual({ kind: 'skipped', reason: 'robots.txt' });
  });
});
