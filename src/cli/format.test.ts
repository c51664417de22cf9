import { expect, it } from 'vitest';
import { formatInstant } from './format.ts';

it('an instant has two digits for every hour, and its zone', () => {
  const at = new Date(2026, 10, 6, 1, 2, 3).getTime();
  expect(formatInstant(at)).toMatch(/^2026-11-06 01:02:03 \S/);
});
