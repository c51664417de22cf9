// Messages about mistakes in a scraper that have several lines, or need a place in the file: as a person sees them.

import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningCourt, startCourt } from '../../sim/court/court.ts';
import { curlew, runArguments } from '../fixtures/curlew-process.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';

const scratch = scratchDirectory();
let court: RunningCourt;
beforeAll(async () => {
  court = await startCourt({ seed: 3, highest: 6 });
});
afterAll(() => court.close());

const DECORATED = `import { get, Scraper, speculate } from 'curlew';

export default class Court extends Scraper {
  baseUrl = 'http://127.0.0.1:8017';
  @speculate({ highestObserved: 3 })
  byNumber(id: number) {
    return get('/case/' + id);
  }
}
`;

describe('a decorator in a file that is not compiled', () => {
  const PLACE = '/court.ts:5\n    @speculate({ highestObserved: 3 })\n    ^\n';

  it('is told with its place and what to write instead', async () => {
    await writeFile(scratch('court.ts'), DECORATED);
    const { code, stderr } = await curlew(runArguments(scratch('court.ts'), court, scratch('data')));
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(PLACE) });
    expect(stderr).toContain('Declare a field instead: byNumber = speculate(');
    expect(stderr).not.toContain('Warning');
  });

  it('is found in a file that is imported, and in a project of CommonJS', async () => {
    await writeFile(scratch('package.json'), '{ "type": "commonjs" }');
    await writeFile(scratch('court.ts'), DECORATED);
    await writeFile(scratch('sub.ts'), `import Court from './court.ts';\nexport default class Sub extends Court {}\n`);
    const { code, stderr } = await curlew(runArguments(scratch('sub.ts'), court, scratch('data')));
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(PLACE) });
  });

  it('is told apart from other mistakes, which have their place too', async () => {
    await writeFile(
      scratch('court.mjs'),
      `import { Scraper } from 'curlew';\nexport default class { parse() { const = 5; } }\n`,
    );
    const { stderr } = await curlew(runArguments(scratch('court.mjs'), court, scratch('data')));
    expect(stderr).toContain('/court.mjs:2\n  export default class { parse() { const = 5; } }\n');
    expect(stderr).not.toContain('decorators');
  });
});

it('an XPath that is wrong is shown with its caret below the place', async () => {
  await writeFile(
    scratch('court.ts'),
    `import { entry, get, Scraper } from 'curlew';
     export default class Court extends Scraper {
       baseUrl = 'http://127.0.0.1:8017';
       start = entry(() => [1, 2].map((id) => get('/case/' + id, this.parse)));
       *parse(page) { page.text('//h1[@class="a"'); }
     }`,
  );
  await curlew(runArguments(scratch('court.ts'), court, scratch('data')));
  const { stdout } = await curlew(['show', 'latest', '--data', scratch('data')]);
  expect(stdout).not.toContain('\\u000a');
  const lines = stdout.split('\n');
  const at = lines.findIndex((line) => line.startsWith('failed 2×  XPath'));
  expect(lines[at]).toMatch(/is wrong at position 15: expected .* \(court\.ts:5:28\)$/);
  const [expression = '', caret = ''] = lines.slice(at + 1);
  expect(expression.trim()).toBe('//h1[@class="a"');
  expect(caret.indexOf('^') - expression.indexOf('/')).toBe(15);
});

it('what is thrown far below a step is told with the place in the step', async () => {
  await writeFile(
    scratch('court.ts'),
    `import { entry, get, Scraper } from 'curlew';
     const cells = (page, left) => left === 0 ? page.text('//td[(((1 + ') : cells(page, left - 1);
     export default class Court extends Scraper {
       baseUrl = 'http://127.0.0.1:8017';
       start = entry(() => get('/case/1', this.parse));
       *parse(page) { cells(page, 40); }
     }`,
  );
  await curlew(runArguments(scratch('court.ts'), court, scratch('data')));
  const { stdout } = await curlew(['show', 'latest', '--data', scratch('data')]);
  expect(stdout).toMatch(/^failed 1× {2}XPath .* \(court\.ts:6:23\)$/m);
});

it('an id that was answered 500 three times is not said to be without an answer', async () => {
  await writeFile(
    scratch('court.ts'),
    `import { get, record, Scraper, speculate } from 'curlew';
     import { z } from 'zod';
     export default class Court extends Scraper {
       baseUrl = 'http://127.0.0.1:8017';
       byNumber = speculate({ highestObserved: 3, largestObservedGap: 0 }, (id) => get('/case/' + id, this.parse));
       *parse(page) { yield record('case', z.string(), page.text('h1')); }
     }`,
  );
  const fault = court.faults.set({ kind: 'status', status: 500, path: '/case/2' });
  await curlew(runArguments(scratch('court.ts'), court, scratch('data')));
  court.faults.clear(fault);
  const { stdout } = await curlew(['show', 'latest', '--data', scratch('data')]);
  expect(stdout).toContain('byNumber: id 2 was without a usable answer; resume asks for them again.');
  expect(stdout).toContain('2 hits, 1 without a usable answer');
  expect(stdout).not.toContain('never answered');
});
