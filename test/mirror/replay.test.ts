// Recorded answers, run through the code again without a network.

import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { replayFixtures } from '../../src/mirror/replay/replay-fixtures.ts';
import { curlew } from '../fixtures/curlew-process.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import { requestsTo, scrape, startSite } from './scrape-setup.ts';

const scratch = scratchDirectory();
const env = { BAILIIKC_RECORD_REPLAY_FIXTURES: '1' };
const fixture = () => scratch('data', 'replay_fixtures', 'run_1_dl_bfile.jsonl');

async function record() {
  const site = await startSite({ cases: 60 });
  const [expired, half, missing, broken, empty] = site.corpus
    .wanted('v1')
    .slice(20)
    .map(({ token }) => token);
  site.switchOn('url-expired', { token: expired ?? '', count: 1 });
  site.switchOn('pdf-half', { token: half ?? '' });
  site.switchOn('pdf-404', { token: missing ?? '' });
  site.switchOn('ajax-reset', { token: broken ?? '', count: 1 });
  site.switchOn('ajax-empty', { token: empty ?? '' });
  site.switchOn('nonce-rotated', { after: 10, count: 1 });
  await scrape(site, scratch('data'), {}, { env });
  return site;
}

describe('a replay', () => {
  it('gives the same transitions, offline', async () => {
    const site = await record();
    const before = requestsTo(site);
    const { same, cases } = await replayFixtures(fixture());
    expect([same, cases.length]).toEqual([true, site.corpus.wanted('v1').length]);
    const ends = cases.map(({ replayed }) => replayed.join('; '));
    expect(
      ends.filter((end) => end.includes('signed_url_expired') && end.endsWith('downloaded, attempt 2')),
    ).toHaveLength(1);
    for (const code of ['malformed_pdf', 'http_404_not_found', 'network_error', 'ajax_parse_error']) {
      expect(ends.filter((end) => end.includes(`(${code})`))).toHaveLength(1);
    }
    expect(requestsTo(site)).toEqual(before);
  });

  it('shows what the code now makes of an answer otherwise', async () => {
    await record();
    const lines = readFileSync(fixture(), 'utf8').trim().split('\n');
    const first = lines.findIndex((line) => line.includes('"type":"address"'));
    const line = JSON.parse(lines[first] ?? '');
    lines[first] = JSON.stringify({ ...line, answers: [{ status: 500, body: '' }] });
    writeFileSync(scratch('changed.jsonl'), `${lines.join('\n')}\n`);
    const { code, stdout } = await curlew(['mirror', 'replay', scratch('changed.jsonl'), '--json']);
    const { same, cases } = JSON.parse(stdout);
    expect([code, same]).toEqual([1, false]);
    const [one, ...more] = cases.filter((replayed: { same: boolean }) => !replayed.same);
    expect(more).toEqual([]);
    expect(one.replayed).toContain('in_progress → failed (ajax_500), attempt 1');
  });

  it('reports a line that cannot be read, skips it, and leaves with 1', async () => {
    const site = await record();
    const lines = readFileSync(fixture(), 'utf8').trim().split('\n');
    lines.splice(3, 0, '{"type":"addr', '{"type":"weather"}', '');
    writeFileSync(scratch('odd.jsonl'), `${lines.join('\n')}\n`);
    const { code, stdout } = await curlew(['mirror', 'replay', scratch('odd.jsonl')]);
    expect([code, stdout]).toEqual([
      1,
      expect.stringMatching(/^Line 4 is skipped: it is no JSON\.\nLine 5 is skipped/),
    ]);
    expect(stdout).toContain(`${site.corpus.wanted('v1').length} cases: the same transitions.`);
    const json = await curlew(['mirror', 'replay', scratch('odd.jsonl'), '--json']);
    expect(JSON.parse(json.stdout)).toMatchObject({ same: true, skipped: [{ line: 4 }, { line: 5 }] });
  });

  it("leaves its ledger and log in a sandbox of one's choice, and in no directory that is in use", async () => {
    const site = await record();
    const sandbox = scratch('my', 'sandbox');
    const args = ['mirror', 'replay', fixture(), '--sandbox'];
    expect(await curlew([...args, sandbox])).toMatchObject({ code: 0 });
    const runs = await curlew(['mirror', 'runs', '--data', sandbox, '--json']);
    expect(JSON.parse(runs.stdout)).toMatchObject({ id: 1, cases_planned: site.corpus.wanted('v1').length });
    expect(readFileSync(scratch('my', 'sandbox', 'logs', 'latest.log'), 'utf8')).toMatch(
      /\[REPLAY\] .*run_id=1 phase=end/,
    );
    const before = readFileSync(scratch('data', 'ledger.sqlite'));
    for (const used of [sandbox, scratch('data')]) {
      const { code, stderr } = await curlew([...args, used]);
      expect([code, stderr]).toEqual([2, expect.stringContaining('it is not empty')]);
    }
    expect(readFileSync(scratch('data', 'ledger.sqlite')).equals(before)).toBe(true);
  });

  it('refuses what is no fixture', async () => {
    writeFileSync(scratch('none.jsonl'), '{"type":"run"}\n');
    const { code, stderr } = await curlew(['mirror', 'replay', scratch('none.jsonl')]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/is no replay fixture: line 1/)]);
  });

  it('records nothing unless asked to', async () => {
    const site = await startSite({ cases: 40 });
    await scrape(site, scratch('data'), { limit: 1 });
    await expect(replayFixtures(fixture())).rejects.toMatchObject({ code: 'usage' });
  });
});
