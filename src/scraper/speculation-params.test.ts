import { describe, expect, it } from 'vitest';
import {
  readSpeculatorParams,
  type SpeculatorParams,
  speculatorParams,
  unknownSpeculator,
} from './speculation-params.ts';

const paramsOf = () => speculatorParams<string>('Court', ['byNumber', 'byYear']);

describe('the settings of speculators', () => {
  it('are there for each, empty, and can be filled in or replaced', () => {
    const params = paramsOf();
    expect(JSON.parse(JSON.stringify(params))).toEqual({ byNumber: {}, byYear: {} });
    expect({ ...params }).toEqual({ byNumber: {}, byYear: {} });
    params.byYear = { plus: 5 };
    expect(params.byYear).toEqual({ plus: 5 });
  });

  it('answer a wrong name with the right ones, read or set', () => {
    const expected = expect.objectContaining({
      code: 'invalid_parameter',
      message: 'Court has no speculator named byNumbr.',
      remedy: 'Did you mean byNumber? Its speculators are: byNumber, byYear.',
    });
    expect(() => paramsOf().byNumbr).toThrow(expected);
    expect(() => {
      paramsOf().byNumbr = {};
    }).toThrow(expected);
  });

  it('refuse to be given a name that every object has', () => {
    expect(() => {
      paramsOf().toString = {} as SpeculatorParams & (() => string);
    }).toThrow('Court has no speculator named toString.');
  });

  it('let the language look for what it looks for in any object', async () => {
    const params = paramsOf();
    expect(await params).toBe(params);
    expect(JSON.stringify({ params })).toBe('{"params":{"byNumber":{},"byYear":{}}}');
    expect(Object.prototype.toString.call(params)).toBe('[object Object]');
  });
});

describe('an unknown speculator', () => {
  it('of a scraper that has none is said to be', () => {
    expect(unknownSpeculator('Court', 'byNumber', []).remedy).toBe('Its speculators are: none.');
  });
});

describe('readSpeculatorParams', () => {
  it('takes the settings there are, all or none', () => {
    const given = { definiteRange: [1, 2], plus: 0 } as const;
    expect(readSpeculatorParams('byNumber', given)).toBe(given);
    expect(readSpeculatorParams('byNumber', {})).toEqual({});
  });

  it('refuses any other', () => {
    const given: object = { plus: 1, gap: 5 };
    expect(() => readSpeculatorParams('byNumber', given)).toThrow(
      expect.objectContaining({
        code: 'invalid_parameter',
        message: 'Speculator byNumber has no setting gap.',
        remedy: 'Its settings are: definiteRange, plus.',
      }),
    );
  });

  it.each([[[1]], [[1, 2, 3]], [[]]])('refuses the range %j', (definiteRange) => {
    const given: object = { definiteRange };
    expect(() => readSpeculatorParams('byNumber', given)).toThrow(
      expect.objectContaining({
        code: 'invalid_parameter',
        message: 'The definite range of byNumber is not two ids.',
        remedy: 'Give the first and the last id; both are included. Leave it out for the default.',
      }),
    );
  });

  it.each([
    [{ definiteRange: null }, 'The definite range of byNumber is not two ids.'],
    [{ definiteRange: '1..5' }, 'The definite range of byNumber is not two ids.'],
    [{ definiteRange: { 0: 1, 1: 5, length: 2 } }, 'The definite range of byNumber is not two ids.'],
    [{ definiteRange: ['1', '5'] }, 'definiteRange of byNumber is 1, but it must be a whole number'],
    [{ definiteRange: [null, 5] }, 'definiteRange of byNumber is null, but'],
    [{ plus: null }, 'plus of byNumber is null, but it must be a whole number from 0 up.'],
    [{ plus: '5' }, 'plus of byNumber is 5, but'],
    [null, 'The settings of speculator byNumber are null, but they must be an object.'],
    [5, 'The settings of speculator byNumber are 5, but'],
    [[1, 5], 'The settings of speculator byNumber are [1, 5], but'],
  ])('refuses %j', (given, message) => {
    expect(() => readSpeculatorParams('byNumber', given)).toThrow(message);
  });
});
