// A request whose step does not exist: never "no step", always an error that names the request and who asked for it.

import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningCourt, startCourt } from '../../sim/court/court.ts';
import { curlew, runArguments, summaryIn } from '../fixtures/curlew-process.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';

const scratch = scratchDirectory();
let court: RunningCourt;
beforeAll(async () => {
  court = await startCourt({ seed: 3, highest: 6 });
});
afterAll(() => court.close());

/** A scraper with these members, run to its end on the court. */
async function runWith(members: string) {
  const file = scratch('court.ts');
  await writeFile(
    file,
    `import { download, entry, get, post, record, Scraper, speculate } from 'curlew';
     import { z } from 'zod';
     export default class Court extends Scraper {
       baseUrl = 'http://127.0.0.1:8017';
       ${members}
       *parseCase(page) { yield record('case', z.string(), page.text('h1')); }
     }`,
  );
  const ended = await curlew(runArguments(file, court, scratch('data')));
  const shown = await curlew(['show', 'latest', '--data', scratch('data')]);
  return { ended, shown: shown.stdout };
}

const LISTED = `start = entry(() => get('/case/1', this.parseList));`;

describe('a step that yields a request with a step that does not exist', () => {
  it.each([
    ['get', "get('/case/2', this.parseCas)", 'undefined'],
    ['get', "get({ url: '/case/2', priority: 2 }, this.parseCas, { id: 2 })", 'undefined'],
    ['get', "get('/case/2', null)", 'null'],
    ['post', "post('/case/2', { form: { q: 'x' } }, this.parseCas)", 'undefined'],
    ['download', "download('/case/2', this.saved)", 'undefined'],
  ])('fails: %s as %s', async (maker, request, given) => {
    const { ended, shown } = await runWith(`${LISTED}\n *parseList(page) { yield ${request}; }`);
    expect(ended.code).toBe(1);
    expect(summaryIn(ended)).toMatchObject({ health: 'failed', requests: { done: 0, failed: 1 } });
    expect(shown).toContain(`Court.parseList: ${maker} is given ${given} as its step. (court.ts:`);
    expect(shown).toContain(`Court.parseList: ${maker} of /case/2 is given ${given} as its step. (court.ts:`);
    expect(shown).toContain('For a page that is only to be archived, leave the step out.');
  });

  it('counts the pages that fail in the same way together', async () => {
    const { shown } = await runWith(`
      start = entry(() => [1, 2, 3].map((id) => get('/case/' + id, this.parseList)));
      *parseList(page) { yield get(page.url + '?more', this.parseCas); }`);
    expect(shown).toContain('failed 3×  Court.parseList: get is given undefined as its step.');
  });
});

describe('what a run begins from', () => {
  it.each([
    ['an entry', `start = entry(() => get('/case/1', this.parseCas));`, 'Entry start of Court failed: get of /case/1'],
    [
      'an entry that is a generator',
      `start = entry(function* () { yield get('/case/1', undefined); });`,
      'Entry start of Court failed: get of /case/1',
    ],
    [
      'a speculator',
      `byNumber = speculate({}, (id) => get('/case/' + id, this.parseCas));`,
      'Speculator byNumber of Court failed for id 1: get of /case/1',
    ],
  ])('is refused with a step that does not exist: %s', async (_, members, message) => {
    const { ended } = await runWith(members);
    expect(ended).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`${message} is given undefined as its step.`),
    });
  });

  it('is refused as what it is when the author made a mistake of another kind', async () => {
    const { ended } = await runWith(`start = entry(() => this.startPages.map((url) => get(url, this.parseCase)));`);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toMatch(/Entry start of Court failed: Cannot read .*'map'\) \(court\.ts:\d+:\d+\)/);
  });

  it('is refused when an entry gives back a promise', async () => {
    const { ended } = await runWith(`start = entry(() => Promise.resolve(get('/case/1', this.parseCase)));`);
    expect(ended).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Entry start of Court gave back a promise, which is no request.'),
    });
  });
});

it('a request without a step is archived and read by nobody', async () => {
  const { ended } = await runWith(`${LISTED}
    *parseList(page) { yield get('/case/2'); yield download('/case/3'); yield* this.parseCase(page); }`);
  expect(summaryIn(ended)).toMatchObject({ health: 'ok', records: 1, requests: { done: 3 } });
});

it('a miss for which a request is asked with a step that does not exist is a failure', async () => {
  const { shown } = await runWith(`
    byNumber = speculate({ highestObserved: 6, largestObservedGap: 1, onMiss: (id) => [get('/late/' + id, this.late)] },
      (id) => get('/case/' + id, this.parseCase));`);
  expect(shown).toContain('Court.byNumber: get of /late/7 is given undefined as its step.');
});
