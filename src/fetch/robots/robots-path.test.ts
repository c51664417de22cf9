import { describe, expect, it } from 'vitest';
import { escapePattern, pathOfUrl } from './robots-path.ts';

describe('pathOfUrl', () => {
  it.each([
    ['', '/'],
    ['http://court.example', '/'],
    ['http://court.example/', '/'],
    ['http://court.example/a?b#c', '/a?b'],
    ['http://court.example?b', '/?b'],
    ['http://court.example;p', '/;p'],
    ['http://court.example#/a', '/'],
    ['court.example/a', '/a'],
    ['//court.example/a', '/a'],
    ['/go?to=http://x/y', '/go?to=http://x/y'],
    ['http://court.example/a/http://x', '/a/http://x'],
    ['http://court.example/%aa%Bb%zz', '/%AA%BB%zz'],
  ])('of %j is %j', (url, path) => {
    expect(pathOfUrl(url)).toBe(path);
  });
});

describe('escapePattern', () => {
  it.each([
    ['/plain', '/plain'],
    ['/%aa%3f%g', '/%AA%3F%g'],
    ['/\xc3\xa9', '/%C3%A9'],
  ])('of %j is %j', (bytes, pattern) => {
    expect(escapePattern(bytes)).toBe(pattern);
  });
});
