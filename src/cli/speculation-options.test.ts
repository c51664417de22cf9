import { describe, expect, it } from 'vitest';
import { speculativeFrom, walkStartFrom } from './speculation-options.ts';

describe('options about speculators', () => {
  it('become settings of each', () => {
    expect(speculativeFrom({ speculate: ['a=1..5', 'b=-3..+7'], plus: ['a=0', 'c=20'] })).toEqual({
      a: { definiteRange: [1, 5], plus: 0 },
      b: { definiteRange: [-3, 7] },
      c: { plus: 20 },
    });
    expect(speculativeFrom({})).toEqual({});
  });

  it('leave it to the scraper to refuse numbers that are no ids', () => {
    expect(speculativeFrom({ speculate: ['a=1.5..2.25'], plus: ['a=-1'] })).toEqual({
      a: { definiteRange: [1.5, 2.25], plus: -1 },
    });
  });

  it.each(['a', 'a=', '=1..2', 'a=1', 'a=1..', 'a=..2', 'a=x..2', 'a=1..2..3', 'a=0x1..2', 'a=1 ..2'])(
    '--speculate %s cannot be read',
    (text) => {
      expect(() => speculativeFrom({ speculate: [text] })).toThrow(`--speculate ${text} cannot be read.`);
    },
  );

  it.each(['a', 'a=', '=5', 'a=x', 'a= ', 'a=1..2'])('--plus %s cannot be read', (text) => {
    expect(() => speculativeFrom({ plus: [text] })).toThrow(`--plus ${text} cannot be read.`);
  });

  it('say where to start; holes win over the last values, which they include', () => {
    expect(walkStartFrom({})).toBe('declared');
    expect(walkStartFrom({ fromLast: true })).toBe('from-last');
    expect(walkStartFrom({ fromLast: true, reprobe: 'holes' })).toBe('holes');
  });
});
