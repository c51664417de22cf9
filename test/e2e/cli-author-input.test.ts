// What an author or a caller got wrong is said before anything is fetched, and with what to do.

import { writeFile } from 'node:fs/promises';
import { CurlewError, entry, get, run, Scraper, speculate } from 'curlew';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type RunningCourt, startCourt } from '../../sim/court/court.ts';
import { curlew, runArguments, summaryIn } from '../fixtures/curlew-process.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';

const scratch = scratchDirectory();
let court: RunningCourt;
beforeAll(async () => {
  court = await startCourt({ seed: 3, highest: 6 });
});
afterAll(() => court.close());

async function runWith(members: string) {
  await writeFile(
    scratch('court.ts'),
    `import { entry, get, record, Scraper, speculate } from 'curlew';
     import { z } from 'zod';
     export default class Court extends Scraper {
       baseUrl = 'http://127.0.0.1:8017';
       ${members}
       *parseCase(page) { yield record('case', z.string(), page.text('h1')); }
     }`,
  );
  const before = court.log.entries.length;
  const ended = await curlew(runArguments(scratch('court.ts'), court, scratch('data')));
  return { ...ended, ended, requests: court.log.entries.length - before };
}

const ASK = "(id) => get('/case/' + id, this.parseCase)";

describe('a scraper', () => {
  it.each([
    [`rate = 5; byNumber = speculate({}, ${ASK});`, 'Court has a field rate, which looks like a setting'],
    [
      `user_agent = 'me'; byNumber = speculate({}, ${ASK});`,
      'Court has a field user_agent, which looks like a setting',
    ],
    [`baseURL = 'http://x'; byNumber = speculate({}, ${ASK});`, 'Did you mean baseUrl?'],
    [`byNumber = speculate({ largestGap: 5 }, ${ASK});`, 'A speculator has no option largestGap.'],
    [`byNumber = speculate({ isReal: async () => false }, ${ASK});`, 'isReal is an async function'],
    [
      'byNumber = speculate({ highestObserved: 5 });',
      'Speculator byNumber of Court does not say how to ask for an id.',
    ],
    [`byNumber = speculate({}, this.ask);`, 'What a speculator asks with is undefined'],
    [
      `byYear = speculate.partitioned({ y: '2020' }, {}, ({ y }, id) => get('/' + y));`,
      'y is 2020, but it must be texts',
    ],
    [`byYear = speculate.partitioned({ y: [null] }, {}, ({ y }, id) => get('/' + y));`, 'y is [null], but'],
    [`start = entry(async () => get('/case/1', this.parseCase));`, 'What an entry begins with is an async function'],
    [`priorities = { parseCas: 1 }; byNumber = speculate({}, ${ASK});`, 'name parseCas, which is no step'],
  ])('%s is refused, and no request is made', async (members, message) => {
    const { code, stderr, requests } = await runWith(members);
    expect({ code, stderr, requests }).toEqual({ code: 2, stderr: expect.stringContaining(message), requests: 0 });
    expect(stderr).not.toMatch(/TypeError|^\s+at /m);
  });

  it('whose isReal gives back a promise finds nothing, and is not ok', async () => {
    const { ended, code } = await runWith(`byNumber = speculate({ isReal: () => Promise.resolve(false) }, ${ASK});`);
    expect(code).toBe(1);
    expect(summaryIn(ended)).toMatchObject({ health: 'failed', records: 0, speculation: { byNumber: { hits: 0 } } });
  });
});

describe('the parameters of a run', () => {
  class Court extends Scraper {
    baseUrl = 'http://127.0.0.1:1';
    byNumber = speculate({}, (id) => get(`/case/${id}`));
    since = entry(z.object({ id: z.int() }), ({ id }) => get(`/case/${id}`));
  }

  it.each<[unknown, string]>([
    [
      { entries: {}, speculative: { byNumber: { definiteRange: null } } },
      'The definite range of byNumber is not two ids.',
    ],
    [{ entries: {}, speculative: { byNumber: { plus: null } } }, 'plus of byNumber is null, but'],
    [{ entries: {}, speculative: { byNumber: null } }, 'The settings of speculator byNumber are null, but'],
    [{ entries: {}, speculative: null }, 'The parameters of Court have a speculative that is null.'],
    [{ entries: null }, 'The parameters of Court have entries that are null.'],
    [{ entries: {}, only: 'byNumber' }, 'The parameters of Court have an only that is "byNumber".'],
    [{ entries: {}, only: ['byNumber', 3] }, 'The parameters of Court have an only that is ["byNumber", 3].'],
    [{ entry: { since: { id: 1 } } }, 'The parameters of Court have no entry.'],
    [null, 'The parameters of Court are null.'],
  ])('%j are refused', async (params, message) => {
    const error = await run(new Court(params as never), { data: scratch('data') }).summary.catch((e: unknown) => e);
    expect(error).toBeInstanceOf(CurlewError);
    expect(error).toMatchObject({ code: 'invalid_parameter', message: expect.stringContaining(message) });
  });
});
