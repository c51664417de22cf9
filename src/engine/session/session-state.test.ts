import { describe, expect, it } from 'vitest';
import { accepted, decideExpiry, findBadValue, mayBeOld, type OpenedSession, valueAt } from './session-state.ts';

const opened = (changes: Partial<OpenedSession> = {}): OpenedSession => ({
  nth: 1,
  choice: 0,
  values: { nonce: ['a', 'b', 'c'], fid: { x: '1' }, one: 'text' },
  at: 0,
  isAccepted: false,
  refused: 0,
  ...changes,
});

describe('an answer that says that the session is over', () => {
  it('to a request that was made with an older opening has it made with the newer', () => {
    expect(decideExpiry(opened({ nth: 2 }), opened(), false)).toEqual({ kind: 'use_current' });
    expect(decideExpiry(opened({ nth: 2, choice: 1 }), opened({ nth: 2 }), true)).toEqual({ kind: 'use_current' });
  });

  it('has it opened anew, once for a request', () => {
    expect(decideExpiry(opened(), opened(), false)).toEqual({ kind: 'open' });
    const accepting = opened({ nth: 2, isAccepted: true });
    expect(decideExpiry(accepting, accepting, true)).toMatchObject({ kind: 'give_up', opened: { refused: 1 } });
  });

  it('after that has the other texts of a list tried, until one is accepted or all are refused', () => {
    const [first, second, third] = [0, 1, 2].map((choice) => opened({ nth: 2, choice }));
    expect(decideExpiry(first as OpenedSession, first as OpenedSession, true)).toEqual({ kind: 'use', opened: second });
    expect(decideExpiry(third as OpenedSession, third as OpenedSession, true)).toMatchObject({
      kind: 'give_up',
      opened: { choice: 0, refused: 1 },
    });
    const right = accepted(second as OpenedSession, second as OpenedSession);
    expect(right).toMatchObject({ choice: 1, isAccepted: true });
    expect(decideExpiry(right, right, false)).toEqual({ kind: 'open' });
  });

  it('does not have it opened any more when that has helped nobody for long', () => {
    const hopeless = opened({ nth: 4, choice: 2, refused: 3 });
    expect(decideExpiry(hopeless, hopeless, false)).toMatchObject({ kind: 'give_up' });
    expect(accepted(hopeless, hopeless)).toMatchObject({ refused: 0 });
  });
});

describe('values', () => {
  it('are texts, one of a list, or one of a map', () => {
    const session = opened({ choice: 1 });
    expect(valueAt(session, ['one'])).toBe('text');
    expect(valueAt(session, ['nonce'])).toBe('b');
    expect(valueAt(session, ['fid', 'x'])).toBe('1');
    for (const path of [
      ['none'],
      ['fid'],
      ['fid', 'y'],
      ['one', 'x'],
      ['nonce', '0'],
      ['toString'],
      ['fid', 'toString'],
    ])
      expect(valueAt(session, path)).toBeUndefined();
  });

  it.each([null, [], 'text', { a: 1 }, { a: null }, { a: [] }, { a: [1] }, { a: { b: 2 } }])('are not %j', (values) => {
    expect(findBadValue(values)).toBeTypeOf('string');
  });

  it('that are missing are looked for anew in a first or an old opening', () => {
    expect(mayBeOld(opened(), 0)).toBe(true);
    expect(mayBeOld(opened({ nth: 2 }), 299_999)).toBe(false);
    expect(mayBeOld(opened({ nth: 2 }), 300_000)).toBe(true);
  });
});
