import { CircuitBreaker } from '../../src/fetch/politeness/circuit-breaker.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { notedFleet, notesAreRead } from '../fixtures/noted-fleet.ts';
import { fleetOf, inTurn, newHost, toldOf } from '../fixtures/redis-fleet.ts';
import { redisOrSkip } from '../fixtures/services.ts';
import { itIsABreaker } from './breaker.ts';

const redis = await redisOrSkip();

itIsABreaker('in one process', async (settings, probe) => {
  const breaker = new CircuitBreaker({ clock: systemClock, settings, probe });
  return { worker: () => breaker, told: async () => {} };
});

itIsABreaker('on one data directory', async (settings, probe) => {
  const next = inTurn(await notedFleet(5));
  return { worker: () => next().politeness.breaker('court.example', settings, { probe }), told: notesAreRead };
});

itIsABreaker('over Redis', async (settings, probe) => {
  const host = newHost();
  const fleet = await fleetOf(5, redis);
  const next = inTurn(fleet);
  return { worker: () => next().politeness.breaker(host, settings, { probe }), told: () => toldOf(fleet) };
});
