import { describe, expect, it } from 'vitest';
import { DOWNLOAD_STATUSES, judgeTransition } from './download-status.ts';

describe('the status of a download', () => {
  it('never changes again once it is downloaded', () => {
    for (const to of DOWNLOAD_STATUSES) expect(judgeTransition('downloaded', to)).toBe('after_download');
  });

  it('is downloaded only out of an attempt', () => {
    const from = DOWNLOAD_STATUSES.filter((status) => judgeTransition(status, 'downloaded') === 'allowed');
    expect(from).toEqual(['in_progress']);
  });

  it('may be tried again after a failure, and not after a skip', () => {
    expect(judgeTransition('failed', 'in_progress')).toBe('allowed');
    expect(judgeTransition('skipped', 'in_progress')).toBe('not_allowed');
  });
});
