import { describe, expect, it } from 'vitest';
import { ErrorCode } from '../platform/errors.ts';
import { Page } from '../scraper/page/page.ts';
import { get } from '../scraper/request.ts';
import { stepFailure } from './step-failure.ts';

class Court {
  /** A generator, as steps are. */
  *read(run: () => unknown) {
    yield run();
  }
}

function thrownBy(run: () => unknown): unknown {
  try {
    return [...new Court().read(run)];
  } catch (error) {
    return error;
  }
}

describe('stepFailure', () => {
  it('names the step, what it threw, and the place in the file of the author', () => {
    const failure = stepFailure(
      'Court',
      'read',
      thrownBy(() => Reflect.construct(Map, [1])),
    );
    expect(failure.code).toBe(ErrorCode.stepFailed);
    expect(failure.reason).toMatch(
      /^Court\.read threw: number 1 is not iterable.* \(step-failure\.test\.ts:\d+:\d+\)$/,
    );
    expect(failure.stack).toContain('TypeError: number 1');
  });

  it('gives pages that do not fit in the same way the same reason, and each its own message', () => {
    const failures = ['http://court.example/1', 'http://court.example/2'].map((url) => {
      const source = {
        url,
        requestUrl: url,
        status: 200,
        headers: [],
        body: Buffer.from('<p>'),
        archivedAs: 'sha256:00',
      };
      return stepFailure(
        'Court',
        'read',
        thrownBy(() => new Page(source).text('h1')),
      );
    });
    expect(failures[0]?.reason).toBe('`h1` matches 0 times instead of exactly 1');
    expect(failures[1]?.reason).toBe(failures[0]?.reason);
    expect(failures[0]?.message).toContain('http://court.example/1 (archived as sha256:00)');
    expect(failures[1]?.message).toContain('http://court.example/2 (archived as sha256:00)');
  });

  it('keeps the code and the remedy of an error of ours', () => {
    const failure = stepFailure(
      'Court',
      'read',
      thrownBy(() => get('/', 'parse' as never)),
    );
    expect(failure).toMatchObject({
      code: ErrorCode.invalidRequest,
      remedy: expect.stringContaining('this.parseCase'),
    });
    expect(failure.message).toMatch(
      /^Court\.read: get of \/ is given a string as its step\. \(step-failure\.test\.ts:\d+:\d+\)$/,
    );
    // All requests of that line are wrong in the same way.
    expect(failure.reason).toMatch(/^Court\.read: get is given a string as its step\. \(step-failure/);
  });

  it('takes anything that can be thrown', () => {
    expect(stepFailure('Court', 'read', 'a string').reason).toBe('Court.read threw: a string');
    expect(stepFailure('Court', 'read', undefined).reason).toBe('Court.read threw: undefined');
  });
});

describe('whatever is thrown', () => {
  const odd = {
    'an object that cannot be made a text': {
      toString: () => {
        throw new Error('no');
      },
    },
    'an object without a prototype': Object.create(null),
    'a revoked proxy': (() => {
      const { proxy, revoke } = Proxy.revocable({}, {});
      revoke();
      return proxy;
    })(),
    'an error whose message throws': Object.defineProperty(new Error(), 'message', {
      get: () => {
        throw new Error('no');
      },
    }),
    'an error whose stack is no text': Object.assign(new Error('odd'), { stack: 5 }),
    'a symbol': Symbol('odd'),
    nothing: undefined,
  };
  it.each(Object.entries(odd))('%s is told as the failure of its step', (_, thrown) => {
    expect(stepFailure('Court', 'parse', thrown)).toMatchObject({
      code: 'step_failed',
      reason: expect.stringContaining('Court.parse threw'),
    });
  });
});
