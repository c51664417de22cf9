import { describe, expect, it } from 'vitest';
import { readForm, withoutEmptyFields } from './parse-form.ts';

describe('a form', () => {
  it.each<[string, object]>([
    ['', {}],
    ['a=1&b=two+words%21', { a: '1', b: 'two words!' }],
    ['a[b]=1&a[c][d]=2&e=3', { a: { b: '1', c: { d: '2' } }, e: '3' }],
    ['a=&b=1', { a: '', b: '1' }],
    ['a[=1&]b=2&[c]=3', { 'a[': '1', ']b': '2', '[c]': '3' }],
  ])('%s', (text, fields) => {
    expect(JSON.parse(JSON.stringify(readForm(text)))).toEqual(fields);
  });

  it.each(['a=1&a=2', 'a=1&a[b]=2', 'a[b]=1&a=2', 'a[b]=1&a[b]=2'])('%s gives a field twice', (text) => {
    expect(() => readForm(text)).toThrow('is given twice');
  });

  it('can be read without the fields that were left empty', () => {
    expect(withoutEmptyFields(readForm('a=&b=1&c[d]=&c[e]=2'))).toEqual({ b: '1', c: { e: '2' } });
  });

  it('names no property of all objects', () => {
    const form = readForm('__proto__[polluted]=1&constructor=2');
    expect(Object.keys(form)).toEqual(['__proto__', 'constructor']);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});
