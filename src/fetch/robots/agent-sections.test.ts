import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sectionsFor } from './agent-sections.ts';
import { RobotsField, RULE, RULE_OR_DELAY } from './robots-field.ts';
import { RobotsText } from './robots-text.ts';

const ANY_FIELD = new RobotsField('[a-z-]+');

/** The numbers of the lines that are meant for `agent`. */
const linesFor = (agent: string, text: string, ending = RULE) => {
  const robots = new RobotsText(Buffer.from(text));
  const sections = sectionsFor(agent, robots.text, ending);
  const isWithin = (at: number) =>
    sections.some((from, index) => index % 2 === 0 && at >= from && at < (sections[index + 1] ?? 0));
  return Array.from(ANY_FIELD.all(robots.text))
    .filter(isWithin)
    .map((at) => robots.lineNumber(at));
};
const isNamed = (agent: string, value: string) => linesFor(agent, `User-agent: ${value}\nAllow: /`).length > 0;

describe('sectionsFor', () => {
  it.each(['foobot', 'FooBot', 'FOOBOT/2.1', 'foobot 2', 'foobot(x)', 'foobot*'])('names foobot by %j', (value) => {
    expect(isNamed('FooBot', value)).toBe(true);
  });

  it.each(['foo', 'foobots', 'foobot-x', 'foobot_x', 'fooZot', 'xfoobot', '2foobot', '*foobot', ''])(
    'does not name foobot by %j',
    (value) => {
      expect(isNamed('foobot', value)).toBe(false);
    },
  );

  it.each(['a', 'z', 'A', 'Z', '-', '_', 'az-_AZ'])('knows %j for part of a name', (agent) => {
    expect(isNamed(agent, agent)).toBe(true);
    expect(isNamed('bot', `bot${agent}`)).toBe(false);
  });

  it.each(['@', '[', '`', '{', '9', '/', '\u00e9'])('ends a name before %j, and knows no agent that has it', (byte) => {
    expect(isNamed('bot', `bot${byte}`)).toBe(true);
    expect(isNamed(`bot${byte}`, `bot${byte}`)).toBe(false);
  });

  it.each([
    ['*', true],
    ['* 1.0', true],
    ['*\tx', true],
    ['*\vx', true],
    ['*# why', true],
    ['*\u00e0', false],
    ['*\0', false],
    ['*x', false],
    ['**', false],
    ['x', false],
  ])('means everyone by %j: %s', (value, expected) => {
    expect(isNamed('foobot', value)).toBe(expected);
  });

  it('takes a byte above ASCII for no blank', () => {
    const text = 'User-agent: *\xa0\nAllow: /';
    expect(sectionsFor('foobot', text, RULE)).toHaveLength(0);
  });

  it('knows an agent by a name of any length', () => {
    const name = 'a'.repeat(100_000);
    expect(isNamed(name, 'a')).toBe(false);
    expect(isNamed(name.slice(0, 1_000), name.slice(0, 1_000))).toBe(true);
  });

  it('has the lines of all groups that name the agent, and those for all only where none does', () => {
    const text =
      'User-agent: a\nAllow: /1\nUser-agent: *\nAllow: /2\nUser-agent: b\nUser-agent: a\nAllow: /3\nUser-agent: *\nAllow: /4';
    expect(linesFor('a', text)).toEqual([1, 2, 6, 7]);
    expect(linesFor('b', text)).toEqual([5, 6, 7]);
    expect(linesFor('c', text)).toEqual([3, 4, 8, 9]);
    expect(linesFor('c', 'Allow: /1\nUser-agent: a')).toEqual([]);
  });

  it('takes a name for one only as a whole value, not behind another word', () => {
    expect(isNamed('foobot', 'x foobot')).toBe(false);
    expect(linesFor('foobot', 'User-agent:x foobot\nAllow: /')).toEqual([]);
    expect(linesFor('foobot', 'User-agent x:foobot\nAllow: /')).toEqual([1, 2]);
  });

  it('goes on with a run of agents across what does not end it', () => {
    const text = 'User-agent: a\nSitemap: /s\nCrawl-delay: 1\nUser-agent: b\nAllow: /\nUser-agent: c\nAllow: /';
    expect(linesFor('a', text)).toEqual([1, 2, 3, 4, 5]);
    expect(linesFor('a', text, RULE_OR_DELAY)).toEqual([1, 2, 3]);
  });

  it('has the lines of as many groups as there are', () => {
    const text = 'User-agent: a\nAllow: /1\nUser-agent: b\nAllow: /2\n'.repeat(500);
    const lines = Array.from({ length: 500 }, (_, group) => [4 * group + 1, 4 * group + 2]).flat();
    expect(linesFor('a', text)).toEqual(lines);
  });

  it('has every line that the definition says', () => {
    const line = fc.constantFrom(
      'User-agent: a',
      'User-agent: b',
      'User-agent: *',
      'Allow: /',
      'Disallow: /',
      'Sitemap: s',
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 10 }), (lines) => {
        expect(linesFor('a', lines.join('\n'))).toEqual(definition(lines));
      }),
      { numRuns: 2_000 },
    );
  });
});

/** For each line: who is named above it in its group? */
function definition(lines: readonly string[]): number[] {
  const groups: { line: number; text: string }[][] = [[]];
  lines.forEach((text, index) => {
    const begins = text.startsWith('User') && groups.at(-1)?.some((one) => /^(?:Allow|Disallow)/.test(one.text));
    if (begins) groups.push([]);
    groups.at(-1)?.push({ line: index + 1, text });
  });
  const from = (name: string) =>
    groups.flatMap((group) => {
      const start = group.findIndex(({ text }) => text === `User-agent: ${name}`);
      return start === -1 ? [] : group.slice(start).map(({ line }) => line);
    });
  return from('a').length > 0 ? from('a') : from('*');
}
