import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createLog, logWith } from './log.ts';

function logged(write: (log: ReturnType<typeof createLog>) => void): string {
  let text = '';
  write(createLog({ write: (line) => (text += line) }, () => Date.UTC(2026, 0, 2, 3, 4, 5)));
  return text;
}

it('writes one line of JSON per event', () => {
  const text = logged((log) => log.event('breaker', { host: 'court.example', state: 'open' }));
  expect(text).toBe(
    '{"level":"info","time":"2026-01-02T03:04:05.000Z","host":"court.example","state":"open","event":"breaker"}\n',
  );
});

it('stays one line that acts on no terminal, whatever a site sends', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (kind, value) => {
      const text = logged((log) => log.event(kind, { value }));
      expect(text.slice(0, -1)).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/);
      expect(text.endsWith('\n')).toBe(true);
      expect(JSON.parse(text)).toBeTypeOf('object');
    }),
  );
});

it('hides secrets wherever they stand', () => {
  const text = logged((log) =>
    log.event('failed', {
      url: 'https://court.example/x?token=hunter2',
      via: 'http://bob:hunter2@proxy.example',
      headers: { cookie: 'a=hunter2' },
    }),
  );
  expect(text).not.toContain('hunter2');
});

it('gives every event the level that is said for its kind, and info otherwise', () => {
  let text = '';
  const log = createLog({ write: (line) => (text += line) }, () => 0, { away: 'error', open: 'warn' });
  for (const kind of ['away', 'open', 'back', 'constructor']) log.event(kind, {});
  expect(text.match(/"level":"(\w+)"/g)).toEqual(
    ['error', 'warn', 'info', 'info'].map((level) => `"level":"${level}"`),
  );
});

it('writes instants as ISO 8601, whoever tells of them, and leaves other numbers alone', () => {
  const at = Date.UTC(2026, 0, 2);
  const fields = { at, until: at, fetchedAt: at, heldUntil: at, status: 200, seconds: 30, that: 7, format: at };
  const text = logged((log) => log.event('retry_after', fields));
  const iso = '2026-01-02T00:00:00.000Z';
  expect(JSON.parse(text)).toMatchObject({
    ...{ at: iso, until: iso, fetchedAt: iso, heldUntil: iso },
    ...{ status: 200, seconds: 30, that: 7, format: at },
  });
});

it('an instant that is none stays what it is', () => {
  expect(JSON.parse(logged((log) => log.event('x', { at: Number.MAX_VALUE, until: 'later' })))).toMatchObject({
    at: Number.MAX_VALUE,
    until: 'later',
  });
});

it('puts the fields of its writer into every line', () => {
  const text = logged((log) => logWith(log, { worker: 'w-1' }).event('started', { host: 'a' }));
  expect(JSON.parse(text)).toMatchObject({ event: 'started', worker: 'w-1', host: 'a' });
});
