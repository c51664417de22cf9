import { describe, expect, it } from 'vitest';
import { didYouMean, nearest } from './nearest.ts';

const COMMANDS = ['run', 'runs', 'resume', 'records', 'replay'];

describe('nearest', () => {
  it('finds the word that was meant', () => {
    expect(nearest('rnu', COMMANDS)).toBe('run');
    expect(nearest('reusme', COMMANDS)).toBe('resume');
    expect(nearest('record', COMMANDS)).toBe('records');
    expect(nearest('rplay', COMMANDS)).toBe('replay');
  });

  it('says nothing when no word is near', () => {
    expect(nearest('status', COMMANDS)).toBeUndefined();
    expect(nearest('x', COMMANDS)).toBeUndefined();
    expect(nearest('run', [])).toBeUndefined();
  });

  it('is a sentence for a remedy, or nothing', () => {
    expect(`${didYouMean('rnu', COMMANDS)}They are many.`).toBe('Did you mean run? They are many.');
    expect(didYouMean('status', COMMANDS)).toBe('');
  });
});
