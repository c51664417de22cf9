import { describe, expect, it } from 'vitest';
import { tokenize } from './lexer.ts';

const kinds = (expression: string) =>
  tokenize(expression).map(({ kind, text }) => (text === '' ? kind : `${kind} ${text}`));

describe('tokenize', () => {
  it('takes * and operator names as names where an operand may stand, and as operators elsewhere', () => {
    expect(kinds('* * div')).toEqual(['name *', 'operator *', 'name div', 'end']);
    expect(kinds('div div div')).toEqual(['name div', 'operator div', 'name div', 'end']);
    expect(kinds('@*|a')).toEqual(['symbol @', 'name *', 'operator |', 'name a', 'end']);
    expect(kinds('"(" and 1')).toEqual(['literal (', 'operator and', 'number 1', 'end']);
  });

  it('tells functions, node types and axes by what follows, also after white space', () => {
    expect(kinds('text ()')).toEqual(['node-type text', 'symbol (', 'symbol )', 'end']);
    expect(kinds('self \n:: text')).toEqual(['axis self', 'symbol ::', 'name text', 'end']);
    expect(kinds('re:test(')).toEqual(['function re:test', 'symbol (', 'end']);
    expect(kinds('4 mod(3)')).toEqual(['number 4', 'operator mod', 'symbol (', 'number 3', 'symbol )', 'end']);
  });

  it('takes dots, digits and hyphens as part of a name, and a minus only apart from it', () => {
    expect(kinds('a-1 - b.c')).toEqual(['name a-1', 'operator -', 'name b.c', 'end']);
    expect(kinds('data-x:*')).toEqual(['name data-x:*', 'end']);
    expect(kinds('überschrift-ñ')).toEqual(['name überschrift-ñ', 'end']);
  });

  it('reads numbers with or without digits around the point', () => {
    expect(kinds('1. + .5')).toEqual(['number 1.', 'operator +', 'number .5', 'end']);
  });

  it('says where each token begins', () => {
    expect(tokenize(' a  = "b"').map(({ at }) => at)).toEqual([1, 4, 6, 9]);
  });
});
