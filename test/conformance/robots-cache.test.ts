import { RobotsPolicy } from '../../src/fetch/robots/robots-policy.ts';
import { MemoryRobotsStore } from '../../src/fetch/robots/robots-store.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { systemRandom } from '../../src/platform/random.ts';
import { fleetOf, inTurn, newHost } from '../fixtures/redis-fleet.ts';
import { redisOrSkip } from '../fixtures/services.ts';
import { itIsARobotsCache } from './robots-cache.ts';

const redis = await redisOrSkip();
const world = { clock: systemClock, random: systemRandom };

itIsARobotsCache('in one process', async (getRobots, settings) => {
  const policy = new RobotsPolicy({ ...world, getRobots, settings, store: new MemoryRobotsStore() });
  return { worker: () => policy, origin: 'https://court.example' };
});

itIsARobotsCache('over Redis', async (getRobots, settings) => {
  const { maxAgeMs } = settings;
  const fleet = await fleetOf(4, redis, { ...(maxAgeMs !== undefined && { robotsMaxAgeMs: maxAgeMs }) });
  const policies = fleet.map(
    ({ politeness }) => new RobotsPolicy({ ...world, getRobots, settings, store: politeness.robots }),
  );
  return { worker: inTurn(policies), origin: `https://${newHost()}` };
});
