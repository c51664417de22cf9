import { expect, it } from 'vitest';
import { checkStates } from './check-states.ts';

it('a run with --durability power has lost nothing of its archive after a power cut at any moment', async () => {
  const { losses, statuses } = await checkStates('power');
  expect(losses).toBe(0);
  expect(statuses.get('completed')).toBeGreaterThan(50);
  expect(statuses.get('running')).toBeGreaterThan(100);
});
