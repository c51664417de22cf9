import { expect, it } from 'vitest';
import { checkStates } from './check-states.ts';

it('a run goes on to what it would have come to after a power cut at any moment, and says what its archive had lost', async () => {
  const { losses, statuses } = await checkStates('process');
  expect(losses).toBeGreaterThan(20);
  expect(statuses.get('completed')).toBeGreaterThan(50);
  expect(statuses.get('running')).toBeGreaterThan(100);
  expect(statuses.get('undefined')).toBeGreaterThan(5);
});
