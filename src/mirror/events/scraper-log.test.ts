import { readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { scratchDirectory } from '../../../test/fixtures/scratch-directory.ts';
import { FakeClock } from '../../platform/fake-clock.ts';
import { ScraperLog } from './scraper-log.ts';

const scratch = scratchDirectory();

describe('latest.log', () => {
  it('is gone on with, line by line', async () => {
    for (const step of ['one', 'two']) {
      const log = ScraperLog.open(scratch('logs'), new FakeClock());
      log.write({ label: 'NAV', fields: { step } }, 1);
      log.close();
      log.write({ label: 'NAV', fields: { step: 'after the end' } });
    }
    const at = 'at=2026-01-01T00:00:00.000Z run_id=1';
    expect(await readFile(scratch('logs', 'latest.log'), 'utf8')).toBe(
      `[SCRAPER][NAV] ${at} step=one\n[SCRAPER][NAV] ${at} step=two\n`,
    );
  });

  it('is put aside when it has grown too large', async () => {
    ScraperLog.open(scratch('logs'), new FakeClock()).close();
    await truncate(scratch('logs', 'latest.log'), 2 ** 26);
    ScraperLog.open(scratch('logs'), new FakeClock()).close();
    expect((await stat(scratch('logs', 'previous.log'))).size).toBe(2 ** 26);
    expect((await stat(scratch('logs', 'latest.log'))).size).toBe(0);
  });

  it('that cannot be written ends nothing', async () => {
    await writeFile(scratch('logs'), 'a file where the directory should be');
    const log = ScraperLog.open(scratch('logs'), new FakeClock());
    log.write({ label: 'NAV', fields: {} });
    log.close();
    expect(await readFile(scratch('logs'), 'utf8')).toContain('a file');
  });
});
