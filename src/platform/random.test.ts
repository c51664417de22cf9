import { describe, expect, it } from 'vitest';
import { seededRandom, systemRandom } from './random.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('a random UUID', () => {
  it('is of version 4 from either source', () => {
    expect(systemRandom.uuid()).toMatch(UUID);
    expect(seededRandom(7).uuid()).toMatch(UUID);
  });

  it('differs each time, and repeats with the seed', () => {
    const one = seededRandom(7);
    const other = seededRandom(7);
    const first = one.uuid();
    expect(one.uuid()).not.toBe(first);
    expect(other.uuid()).toBe(first);
    expect(systemRandom.uuid()).not.toBe(systemRandom.uuid());
  });
});
