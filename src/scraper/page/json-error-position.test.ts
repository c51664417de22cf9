import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { messageOf } from '../../platform/errors.ts';
import { jsonErrorPosition } from './json-error-position.ts';

function runtimeMessage(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

function positionIn(message = ''): number | undefined {
  const digits = /at position (\d+)/.exec(message)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** Whether the runtime finds nothing wrong with the text but that it ends. */
function canGoOn(prefix: string): boolean {
  const message = runtimeMessage(prefix);
  if (message === undefined || message === 'Unexpected end of JSON input') return true;
  return message.startsWith('Unterminated string') || positionIn(message) === prefix.length;
}

describe('jsonErrorPosition', () => {
  it.each([
    ['', 0],
    ['<html>', 0],
    ['{"a":}', 5],
    ['{"a":1,}', 7],
    ['[1 2]', 3],
    ['[1,]', 3],
    ['{"a" 1}', 5],
    ['{a:1}', 1],
    ['{"a":1} x', 8],
    ['{"a":"x', 7],
    ['["a\nb"]', 3],
    ['["\\x"]', 2],
    ['[01]', 1],
    ['[tru]', 1],
    ['[[{"a":[', 8],
    ['[}', 1],
  ])('of %j is %i', (text, position) => {
    expect(jsonErrorPosition(text)).toBe(position);
  });

  it('agrees with the runtime: JSON could go on before it, and the runtime names no earlier place and no later token', () => {
    const breaks = fc.constantFrom('', ',', '}', ']', '"', ':', 'x', '\\', '\n', '0', '-', '{', '[', ' ');
    const broken = fc.tuple(fc.json(), fc.nat(), breaks, fc.nat(3)).map(([json, place, insert, cut]) => {
      const at = place % (json.length + 1);
      return json.slice(0, at) + insert + json.slice(at + cut);
    });
    fc.assert(
      fc.property(broken, (text) => {
        const message = runtimeMessage(text);
        fc.pre(message !== undefined);
        const at = jsonErrorPosition(text);
        expect(canGoOn(text.slice(0, at))).toBe(true);
        const told = positionIn(message);
        if (told !== undefined) expect(text.slice(at, told)).toMatch(/^[\w.+\-\\]*$/);
        if (told !== undefined) expect(told).toBeGreaterThanOrEqual(at);
      }),
      { numRuns: 2_000 },
    );
  });

  it('does not overflow on deep nesting', () => {
    expect(jsonErrorPosition('['.repeat(1_000_000))).toBe(1_000_000);
  });
});
