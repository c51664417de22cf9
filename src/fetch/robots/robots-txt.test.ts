import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { matchesPattern } from './path-pattern.ts';
import { MAX_ROBOTS_BYTES, parseRobots } from './robots-txt.ts';

const Vector = z.object({
  test: z.string(),
  robots: z.string(),
  agent: z.string(),
  url: z.string(),
  allowed: z.boolean(),
});
const vectors = readFileSync(new URL('../../../test/vectors/robots-google.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => Vector.parse(JSON.parse(line)));

const allowed = (text: string | Uint8Array, path: string, agent = 'FooBot') =>
  parseRobots(text).isAllowed(agent, `https://court.example${path}`);

describe('parseRobots', () => {
  it('has the 145 verdicts of the reference parser to agree with', () => {
    expect(vectors).toHaveLength(145);
  });

  it.each(vectors.map((vector, index) => ({ ...vector, name: `line ${index + 1} (${vector.test})` })))(
    'agrees with the reference parser on $name',
    ({ robots, agent, url, allowed }) => {
      expect(parseRobots(robots).isAllowed(agent, url)).toBe(allowed);
      expect(parseRobots(Buffer.from(robots)).isAllowed(agent, url)).toBe(allowed);
    },
  );

  it('never throws, whatever the text, the agent and the URL', () => {
    const word = fc.array(fc.nat({ max: 0xffff })).map((units) => String.fromCharCode(...units));
    const piece = fc.oneof(
      word,
      fc.constantFrom('User-agent:', 'Disallow:', 'Allow ', 'Crawl-delay: ', '*', '$', '%', '%e', '#', '\r', '\n', ':'),
    );
    const text = fc.oneof(
      fc.array(piece).map((pieces) => pieces.join('')),
      fc.uint8Array({ maxLength: 500 }),
    );
    fc.assert(
      fc.property(text, word, word, (text, agent, url) => {
        const robots = parseRobots(text);
        expect(typeof robots.isAllowed(agent, url)).toBe('boolean');
        expect(robots.crawlDelay(agent) ?? 0).toBeGreaterThanOrEqual(0);
      }),
    );
  });

  it('decides every small file as one pass over its lines for one agent does', () => {
    const line = fc.oneof(
      fc.constantFrom('User-agent: a', 'User-agent: b', 'User-agent: *', 'Sitemap: /s', 'Disallow:'),
      fc
        .tuple(
          fc.constantFrom('Allow', 'Disallow'),
          fc.constantFrom('/', '/x', '/xy', '/X', '/*y', '/x$', '/%c3', '/\u00e9', '/%C3*9$'),
        )
        .map(([field, pattern]) => `${field}: ${pattern}`),
    );
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 12 }),
        fc.constantFrom('/', '/x', '/xy', '/%c3%a9', '/%C3%A9'),
        (lines, path) => {
          expect(allowed(lines.join('\n'), path, 'a')).toBe(onePass(lines, path));
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('names the first line of those that decide', () => {
    const line = fc
      .tuple(fc.constantFrom('Allow', 'Disallow'), fc.constantFrom('/', '/x', '/xy', '/y', '/*y', '/*', '/x$', '/xy$'))
      .map(([field, pattern]) => `${field}: ${pattern}`);
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), fc.constantFrom('/', '/x', '/xy'), (lines, path) => {
        const matching = lines.filter((line) => matchesPattern(line.split(': ')[1] ?? '', path));
        const longest = Math.max(...matching.map((line) => line.split(': ')[1]?.length ?? 0));
        const strongest = matching.filter((line) => line.split(': ')[1]?.length === longest);
        const decides = strongest.find((line) => line.startsWith('Allow')) ?? strongest[0];
        const verdict = parseRobots(['User-agent: *', ...lines].join('\n')).verdict('FooBot', path);
        const rule = decides === undefined ? undefined : { line: lines.indexOf(decides) + 2, text: decides };
        expect(verdict.rule).toEqual(rule);
      }),
      { numRuns: 2_000 },
    );
  });

  it('decides by lines that stand there hundreds of times as by one of each', () => {
    const line = fc.constantFrom(
      ...[
        'User-agent: a',
        'User-agent: *',
        'Disallow:',
        'Disallow: /',
        'Disallow: /*',
        'Disallow: /x*',
        'Disallow: /xy',
      ],
      ...['Allow: /x', 'Allow: /*y', 'Allow: /xy ', 'Allow: /%c3', 'Disallow: /\u00e9', 'Allow: /\u00e9', 'Allow: /z'],
    );
    const lines = fc.array(fc.record({ line, times: fc.constantFrom(1, 63, 64, 65, 320) }), { maxLength: 8 });
    const path = fc.constantFrom('/', '/x', '/xy', '/%C3%A9', '/z');
    fc.assert(
      fc.property(lines, fc.array(path, { minLength: 1, maxLength: 4 }), (lines, paths) => {
        const once = parseRobots(lines.map(({ line }) => `${line}\n`).join(''));
        const often = parseRobots(lines.map(({ line, times }) => `${line}\n`.repeat(times)).join(''));
        const starts = lines.map((_, index) => lines.slice(0, index).reduce((sum, { times }) => sum + times, 1));
        for (const path of paths) {
          const { kind, rule } = once.verdict('a', path);
          const expected = rule && { line: starts[rule.line - 1], text: rule.text };
          expect(often.verdict('a', path)).toEqual({ kind, rule: expected });
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it.each(['\n', '\r', '\r\n'])('reads lines that end in %j', (end) => {
    const robots = parseRobots(['User-agent: *', '', 'Disallow: /x', 'Allow: /'].join(end));
    expect(robots.verdict('FooBot', 'https://court.example/x')).toEqual({
      kind: 'disallowed',
      rule: { line: 3, text: 'Disallow: /x' },
    });
  });

  it.each([[0xef, 0xbb, 0xbf], [0xef, 0xbb], [0xef]])('skips a byte order mark, even a broken one', (...mark) => {
    expect(allowed(Buffer.concat([Buffer.from(mark), Buffer.from('User-agent: *\nDisallow: /')]), '/x')).toBe(false);
  });

  it('skips a byte order mark in a string', () => {
    expect(allowed('\uFEFFUser-agent: *\nDisallow: /', '/x')).toBe(false);
  });

  it('merges all groups of one agent, and lets one group name several', () => {
    const text =
      'User-agent: foobot\nDisallow: /a\nUser-agent: x\nDisallow: /\nUser-agent: y\nUser-agent: FOOBOT/2.1\nDisallow: /b';
    expect(['/a', '/b', '/c'].map((path) => allowed(text, path))).toEqual([false, false, true]);
    expect(['/a', '/b'].map((path) => allowed(text, path, 'y'))).toEqual([true, false]);
  });

  it('lets a group that names the agent and has no rules allow everything', () => {
    expect(allowed('User-agent: *\nDisallow: /\nUser-agent: FooBot\nDisallow:', '/x')).toBe(true);
  });

  it.each(['DISALLOW: /x', 'disalow: /x', 'Dissallow : /x', 'diasllow /x', 'disallowed: /x', '\tDisallow:\t/x\t# why'])(
    'understands %j',
    (rule) => {
      expect(allowed(`useragent: *\n${rule}`, '/x')).toBe(false);
    },
  );

  it.each(['disallow all /x', 'disallow', ': /x', 'user agent', 'dis: /x'])('ignores %j', (line) => {
    expect(allowed(`User-agent: *\n${line}\nAllow: /y`, '/x')).toBe(true);
  });

  it('compares escapes without regard to the case of their digits', () => {
    const text = 'User-agent: *\nDisallow: /caf%c3%a9\nDisallow: /s\u00e0';
    expect(allowed(text, '/caf%C3%A9')).toBe(false);
    expect(allowed(text, '/caf%c3%a9')).toBe(false);
    expect(allowed(text, '/s%C3%A0')).toBe(false);
    expect(allowed(text, '/s%C3%B1')).toBe(true);
  });

  it('takes a URL object, whose odd characters are escaped', () => {
    const robots = parseRobots('User-agent: *\nDisallow: /\u30c4');
    expect(robots.isAllowed('FooBot', new URL('https://court.example/\u30c4'))).toBe(false);
  });

  it('reads a rule before 500 KiB, none after, and not the line that is cut in two', () => {
    const filler = `# ${'x'.repeat(97)}\n`.repeat(MAX_ROBOTS_BYTES / 100 - 1);
    const head = 'User-agent: *\nDisallow: /early\n';
    const text = `${head}${filler}`;
    const toLimit = MAX_ROBOTS_BYTES - text.length;
    const rule = 'Disallow: /late';
    expect(allowed(`${text}${rule}\n`, '/early')).toBe(false);
    expect(allowed(`${text}${'#'.repeat(toLimit - 1 - rule.length - 1)}\n${rule}\n`, '/late')).toBe(false);
    expect(allowed(`${text}${'#'.repeat(toLimit - 1)}\n${rule}\n`, '/late')).toBe(true);
    expect(allowed(`${text}${'#'.repeat(toLimit - 'Disallow: /'.length - 1)}\n${rule}\n`, '/other')).toBe(true);
  });

  it('counts 500 KiB from behind a byte order mark, and reads all of a file that has just so many', () => {
    const rule = 'Disallow: /late';
    const head = 'User-agent: *\n#';
    const filler = 'x'.repeat(MAX_ROBOTS_BYTES - head.length - 1 - rule.length);
    for (const text of [`${head}${filler}\n${rule}`, `\uFEFF${head}${filler}\n${rule}`]) {
      expect(allowed(text, '/late')).toBe(false);
      expect(allowed(Buffer.from(text), '/late')).toBe(false);
      expect(allowed(`${text}r`, '/late')).toBe(true);
      expect(allowed(Buffer.from(`${text}r`), '/late')).toBe(true);
    }
  });

  it('ends the last whole line before the limit at a CR, where a file has no LF', () => {
    const text = `User-agent: *\rDisallow: /early\r${'#'.repeat(MAX_ROBOTS_BYTES)}`;
    expect(allowed(text, '/early')).toBe(false);
  });

  it('is not changed by what becomes of the bytes it was given', () => {
    const bytes = Buffer.from('User-agent: *\nDisallow: /x');
    const robots = parseRobots(bytes);
    bytes.fill('#');
    expect(robots.isAllowed('FooBot', '/x')).toBe(false);
  });

  it('answers for one agent and then another', () => {
    const robots = parseRobots('User-agent: a\nCrawl-delay: 1\nDisallow: /x\nUser-agent: b\nAllow: /');
    expect(['a', 'b', 'a'].map((agent) => robots.isAllowed(agent, '/x'))).toEqual([false, true, false]);
    expect(['a', 'b', 'a'].map((agent) => robots.crawlDelay(agent))).toEqual([1, undefined, 1]);
  });

  it('answers the same about a path whatever it was asked before', () => {
    const text =
      'User-agent: *\nDisallow: /\nAllow: /x/index.html\nAllow: /%c3\nDisallow: /*y\nAllow: /\u00e9\nAllow: /x y$\nDisallow: /x/*z';
    const paths = ['/', '/x', '/x/', '/%c3', '/\u00e9', '/%C3%A9', '/xy', '/x y', '/x/z', '/x\nz', '/#y'];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...paths)), (asked) => {
        const robots = parseRobots(text);
        const alone = asked.map((path) => parseRobots(text).verdict('FooBot', path));
        expect(asked.map((path) => robots.verdict('FooBot', path))).toEqual(alone);
      }),
    );
  });

  it.each([
    ['Allow: /dir/index.html', '/dir/', 'allowed', 2],
    ['Allow: /dir/index.htm', '/dir/', 'allowed', 2],
    ['Allow: /dir/index.htm\n/', '/dir/', 'allowed', 2],
    ['Allow: /dir/index.html', '/dir/x', 'disallowed', 3],
    ['Allow: /dir/index.html', '/dir/sub/', 'disallowed', 3],
    ['Allow: /dir/index.htm', '/dir/index.htm/', 'allowed', 2],
    ['Allow: /dir/index', '/dir/', 'disallowed', 3],
    ['Allow: /dir/index.html', '/dir/index.html', 'allowed', 2],
    ['Allow: /dir/index.ht', '/dir/', 'disallowed', 3],
    ['Allow: /dir/INDEX.html\nDisallow: /index.html', '/dir/', 'disallowed', 3],
    ['Allow: /dir/my/index.html', '/dir/', 'disallowed', 3],
    ['Allow: /dir/index.html/x', '/dir/', 'disallowed', 3],
    ['Allow: /dir/index.html/x', '/dir/index.html/', 'disallowed', 3],
    ['Allow: /dir/index.html/longer.than.it', '/dir/index.html/', 'disallowed', 3],
    ['Allow: index.html', '/dir/', 'disallowed', 3],
    ['Allow:', '/dir/', 'disallowed', 3],
    ['Allow: /d*/index.html', '/dir/', 'allowed', 2],
    ['Allow: /\u00e9/index.html', '/%C3%A9/', 'allowed', 2],
    ['Disallow: /dir/index.html', '/dir/', 'disallowed', 3],
  ])('lets %j speak of the directory whose index page it names: %j is %s', (rule, path, kind, line) => {
    const text = `User-agent: *\n${rule}\nDisallow: /*/\nDisallow: /dir\nDisallow: /`;
    const verdict = parseRobots(text).verdict('FooBot', path);
    expect([verdict.kind, verdict.rule?.line === 2 ? 2 : 3]).toEqual([kind, line]);
  });

  it('names the line that allowed, as it is written', () => {
    const robots = parseRobots('User-agent: *\nAllow: /\u00e9/index.html');
    expect(robots.verdict('FooBot', '/%C3%A9/')).toEqual({
      kind: 'allowed',
      rule: { line: 2, text: 'Allow: /\u00e9/index.html' },
    });
  });

  it('takes the longest rule, an escape for the three characters it is, and allows on a tie', () => {
    const decide = (...rules: string[]) =>
      parseRobots(['User-agent: *', ...rules].join('\n')).verdict('FooBot', '/%C3%A9xy/').rule?.line;
    expect(decide('Disallow: /\u00e9', 'Disallow: /*A9x', 'Allow: /*x')).toBe(2);
    expect(decide('Disallow: /\u00e9', 'Allow: /*3%A9x')).toBe(3);
    expect(decide('Disallow: /*A9x', 'Allow: /*9xy')).toBe(3);
    expect(decide('Allow: /*9xy', 'Disallow: /*A9x')).toBe(2);
    expect(decide('Allow: /*A9x', 'Allow: /*9xy')).toBe(2);
    expect(decide('Disallow: /*A9x', 'Disallow: /*9xy')).toBe(2);
    // The last byte of ASCII is no escape.
    expect(allowed('User-agent: *\nDisallow: /\x7f\nAllow: /*x', '/\x7fx')).toBe(true);
    expect(allowed('User-agent: *\nDisallow: /*\x7f\nAllow: /*xx', '/\x7fxx')).toBe(true);
  });

  it('names no rule when nothing in the file speaks of the URL', () => {
    expect(parseRobots('User-agent: *\nDisallow: /x').verdict('FooBot', 'https://court.example/y')).toEqual({
      kind: 'allowed',
      rule: undefined,
    });
  });

  it('lists the sitemaps wherever they stand', () => {
    const text =
      'Sitemap: https://court.example/a.xml\nUser-agent: *\nSite-map: https://court.example/\u00e9.xml\nSitemap:\n';
    expect(parseRobots(text).sitemaps).toEqual(['https://court.example/a.xml', 'https://court.example/\u00e9.xml']);
  });

  describe('crawl-delay', () => {
    it.each([
      ['.5', 0.5],
      ['.25', 0.25],
      ['+2', 2],
      ['10', 10],
      ['0.5', 0.5],
      ['0', 0],
      ['3 seconds', 3],
      ['12.75 s', 12.75],
      ['2.x', 2],
      ['x2', undefined],
      ['-1', undefined],
      ['soon', undefined],
      ['9'.repeat(400), undefined],
      ['', undefined],
    ])('%j is %s', (value, seconds) => {
      expect(parseRobots(`User-agent: *\nCrawl-delay: ${value}`).crawlDelay('FooBot')).toBe(seconds);
    });

    it('is no number of another field', () => {
      expect(parseRobots('User-agent: *\nDisallow: 9\nAllow: 8\nSitemap: 7').crawlDelay('FooBot')).toBeUndefined();
    });

    it('is the largest of all groups of the agent, and of no other group', () => {
      const robots = parseRobots(
        'User-agent: FooBot\nCrawl-delay: 3\nCrawl-delay: 7\nDisallow: /a\nUser-agent: FooBot\nDisallow: /b\nCrawl-delay: 2\nUser-agent: *\nCrawl-delay: 30',
      );
      expect(robots.crawlDelay('foobot')).toBe(7);
      expect(robots.crawlDelay('other')).toBe(30);
    });

    it('belongs to the agents named right above it, though rules may follow for all', () => {
      const robots = parseRobots('User-agent: a\nCrawl-delay: 1\nUser-agent: b\nCrawl-delay: 9\nDisallow: /x');
      expect(['a', 'b'].map((agent) => robots.crawlDelay(agent))).toEqual([1, 9]);
      expect(['a', 'b'].map((agent) => robots.isAllowed(agent, '/x'))).toEqual([false, false]);
    });

    it.each(['Allow: /', 'Disallow: /'])('does not belong to an agent above %j and another agent', (rule) => {
      const robots = parseRobots(`User-agent: a\n${rule}\nUser-agent: b\nCrawl-delay: 9`);
      expect(['a', 'b'].map((agent) => robots.crawlDelay(agent))).toEqual([undefined, 9]);
    });

    it('is what one pass over the lines finds, in every small file', () => {
      const line = fc.constantFrom(
        ...['User-agent: a', 'User-agent: b', 'User-agent: *', 'Disallow: /x', 'Allow: /', 'Sitemap: /s', ''],
        ...['Crawl-delay: 1', 'Crawl-delay: 2', 'Crawl-delay: 3'],
      );
      fc.assert(
        fc.property(fc.array(line, { maxLength: 12 }), fc.boolean(), (lines, isAskedFirst) => {
          const robots = parseRobots(lines.join('\n'));
          if (isAskedFirst) robots.isAllowed('a', '/x');
          expect(robots.crawlDelay('a')).toBe(delayInOnePass(lines));
        }),
        { numRuns: 5_000 },
      );
    });

    it('is not handed on to agents named after it', () => {
      const robots = parseRobots(
        'User-agent: Slow\nUser-agent: Slower\nCrawl-delay: 10\n\nUser-agent: *\nDisallow: /x',
      );
      expect(robots.crawlDelay('slow')).toBe(10);
      expect(robots.crawlDelay('slower')).toBe(10);
      expect(robots.crawlDelay('FooBot')).toBeUndefined();
    });
  });
});

/** The verdict for agent `a`, reading line by line with flags and no groups. */
function onePass(lines: readonly string[], path: string): boolean {
  const best = { own: { allow: 0, disallow: 0 }, all: { allow: 0, disallow: 0 } };
  let [own, all, rulesBegun, everOwn] = [false, false, false, false];
  for (const line of lines) {
    const [field = '', value = ''] = line.split(/: ?/);
    if (field === 'User-agent') {
      if (rulesBegun) [own, all, rulesBegun] = [false, false, false];
      if (value === 'a') [own, everOwn] = [true, true];
      if (value === '*') all = true;
    } else if (field !== 'Sitemap') {
      rulesBegun = true;
      const pattern = value.replace('\u00e9', '%C3%A9').replace('%c3', '%C3');
      const kind = field === 'Allow' ? 'allow' : 'disallow';
      if (!matchesPattern(pattern, path.replace('%c3%a9', '%C3%A9'))) continue;
      if (own) best.own[kind] = Math.max(best.own[kind], pattern.length);
      if (all) best.all[kind] = Math.max(best.all[kind], pattern.length);
    }
  }
  const { allow, disallow } = everOwn ? best.own : best.all;
  return allow >= disallow;
}

/** The delay for agent `a`, reading line by line with flags and no groups. */
function delayInOnePass(lines: readonly string[]): number | undefined {
  const longest: { own?: number; all?: number } = {};
  let [own, all, runEnded, everOwn] = [false, false, false, false];
  for (const line of lines) {
    const [field, value] = line.split(': ');
    if (field === 'User-agent') {
      if (runEnded) [own, all, runEnded] = [false, false, false];
      if (value === 'a') [own, everOwn] = [true, true];
      if (value === '*') all = true;
    } else if (field === 'Crawl-delay') {
      runEnded = true;
      if (own) longest.own = Math.max(longest.own ?? 0, Number(value));
      if (all) longest.all = Math.max(longest.all ?? 0, Number(value));
    } else if (field === 'Allow' || field === 'Disallow') runEnded = true;
  }
  return everOwn ? longest.own : longest.all;
}
