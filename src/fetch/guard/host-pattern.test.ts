import { describe, expect, it } from 'vitest';
import { normalHost, parseHostPattern } from './host-pattern.ts';

describe('parseHostPattern', () => {
  it.each([
    ['localhost', 'localhost', undefined],
    ['localhost:8080', 'localhost', 8080],
    ['LocalHost.:80', 'localhost', 80],
    ['127.1:9000', '127.0.0.1', 9000],
    ['10.0.0.5', '10.0.0.5', undefined],
    ['::1', '::1', undefined],
    ['[::1]', '::1', undefined],
    ['[::1]:443', '::1', 443],
    ['bücher.example', 'xn--bcher-kva.example', undefined],
    [' court.internal ', 'court.internal', undefined],
  ])('reads %s', (text, host, port) => {
    expect(parseHostPattern(text)).toEqual({ host, port });
  });

  it.each([
    '',
    '*',
    '*.example',
    'a b',
    'host:',
    'host:0',
    'host:65536',
    'host:x',
    'http://host',
    'host/path',
    'u@host',
    '[::1',
  ])('refuses "%s" with an error that says how to write it', (text) => {
    expect(() => parseHostPattern(text)).toThrowError(expect.objectContaining({ code: 'usage' }));
  });
});

describe('normalHost', () => {
  it('takes off brackets and the trailing dot', () => {
    expect(['[::1]', 'Localhost.', 'a.example'].map(normalHost)).toEqual(['::1', 'localhost', 'a.example']);
  });
});
