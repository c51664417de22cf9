import { describe, expect, it } from 'vitest';
import type { Fault } from './fault.ts';
import { parseFault } from './parse-fault.ts';

describe('parseFault', () => {
  const faults: readonly Fault[] = [
    { kind: 'status', status: 429, headers: { 'retry-after': '3' }, body: 'slow down', path: '/case/', count: 3 },
    { kind: 'reset', afterBytes: 0, rate: 0.5 },
    { kind: 'reset', forMs: 2_000 },
    { kind: 'slow', bytesPerSecond: 1 },
    { kind: 'silent' },
    { kind: 'quirk', name: 'csv-half', token: 'FSD0001', after: 2 },
    { kind: 'truncate', missingBytes: 5 },
    { kind: 'latency', ms: 0 },
    { kind: 'hold', path: '/case/', count: 8 },
    { kind: 'down', how: 'refuse', forMs: 100 },
  ];
  it.each(faults)('takes $kind as it is written', (fault) => {
    expect(parseFault(JSON.parse(JSON.stringify(fault)))).toEqual(fault);
  });

  it('takes a regular expression as `pattern`', () => {
    expect(parseFault({ kind: 'silent', pattern: '^/case/\\d$' })).toEqual({ kind: 'silent', path: /^\/case\/\d$/ });
  });

  it.each([
    [null, 'a fault should be a JSON object'],
    [{ kind: 'explode' }, 'kind should be one of status'],
    [{ kind: 'status' }, 'lacks "status"'],
    [{ kind: 'status', status: 42 }, 'status should be a number from 200 to 599'],
    [{ kind: 'status', status: 503, headers: { 'retry-after': 3 } }, 'retry-after should be a string'],
    [{ kind: 'slow' }, 'lacks "bytesPerSecond"'],
    [{ kind: 'quirk' }, 'lacks "name"'],
    [{ kind: 'silent', token: 7 }, 'token should be a string'],
    [{ kind: 'silent', rate: 2 }, 'rate should be a number from 0 to 1'],
    [{ kind: 'silent', count: 'three' }, 'count should be a number'],
    [{ kind: 'silent', pattern: '(' }, 'pattern should be a regular expression'],
    [{ kind: 'down' }, 'how should be "reset" or "refuse"'],
  ])('refuses %j and says why', (value, message) => {
    expect(() => parseFault(value)).toThrow(message);
  });
});
