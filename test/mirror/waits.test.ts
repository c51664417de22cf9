// What a mirror run waits for, as another process tells it.

import { describe, expect, it } from 'vitest';
import { AJAX_PATH } from '../../sim/judicial-ky/paths.ts';
import { curlew } from '../fixtures/curlew-process.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import { mirror, startMirror } from './mirror-process.ts';
import { startSite } from './scrape-setup.ts';

const scratch = scratchDirectory();
const data = () => scratch('data');

describe('a mirror run that waits for a host', () => {
  it('is listed with what it waits for, why and until when, and without it when it has ended', async () => {
    const site = await startSite({ cases: 40 });
    const { host } = new URL(site.url);
    site.faults.set({ kind: 'status', status: 503, path: AJAX_PATH });
    site.faults.set({ kind: 'status', status: 503, path: /^\/$/ });
    const running = startMirror(site, data());
    await running.says(`waiting for ${host} until`);
    const sentence = new RegExp(`^run 1 is waiting for ${host} until \\d\\d:\\d\\d:\\d\\d, breaker open: .*503`, 'm');
    expect((await mirror(data(), ['runs'])).stdout).toMatch(sentence);
    expect((await curlew(['runs', '--data', data()])).stdout).toMatch(sentence);
    const waits = [{ host, until: expect.any(Number), reason: expect.stringMatching(/^breaker open: .*503/) }];
    for (const args of [['mirror', 'runs'], ['runs']]) {
      const { stdout } = await curlew([...args, '--json', '--data', data()]);
      expect(JSON.parse(stdout)).toMatchObject({ waits });
    }
    running.kill('SIGINT');
    await running.ended;
    const ended = await mirror(data(), ['runs']);
    expect(ended.stdout).not.toContain('waiting');
    expect(JSON.parse((await mirror(data(), ['runs', '--json'])).stdout)).toMatchObject({ id: 1, waits: [] });
  });
});
