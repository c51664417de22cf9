import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { scrapeBar, scrapeLine } from './show-scrape.ts';

const half = { runId: 1, planned: 100, downloaded: 48, failed: 2, bytes: 50 * 2 ** 20, elapsedMs: 100_000 };

describe('the progress of a mirror', () => {
  it('has files, speed and the time that is left', () => {
    const bar = stripVTControlCharacters(scrapeBar(half, 200).join());
    expect(bar).toBe(`${'█'.repeat(12)}${'░'.repeat(12)}  50/100 files  512.0 KiB/s  2 failed  1 min 40 s left`);
    expect(scrapeLine(half)).toBe('curlew: 48 of 100 files, 2 failed, 512.0 KiB/s  1 min 40 s left');
  });

  it('fits into the terminal', () => {
    expect(stripVTControlCharacters(scrapeBar(half, 30).join())).toHaveLength(29);
  });

  it('says nothing about time before the first file and after the last', () => {
    expect(scrapeLine({ ...half, downloaded: 0, failed: 0, bytes: 0, elapsedMs: 0 })).toBe(
      'curlew: 0 of 100 files, 0 B/s',
    );
    expect(scrapeLine({ ...half, downloaded: 100, failed: 0 })).not.toContain('left');
  });
});
