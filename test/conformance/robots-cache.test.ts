import { RobotsPolicy } from '../../src/fetch/robots/robots-policy.ts';
import { MemoryRobotsStore } from '../../src/fetch/robots/robots-store.ts';
import { systemRandom } from '../../src/platform/random.ts';
import { notedFleet } from '../fixtures/noted-fleet.ts';
import { fleetOf, inTurn, newHost } from '../fixtures/redis-fleet.ts';
import { passOnRedis } from '../fixtures/redis-time.ts';
import { redisOrSkip } from '../fixtures/services.ts';
import { itIsARobotsCache } from './robots-cache.ts';

const redis = await redisOrSkip();

itIsARobotsCache('in one process', async (getRobots, settings, clock) => {
  const store = new MemoryRobotsStore();
  const policy = new RobotsPolicy({ clock, random: systemRandom, getRobots, settings, store });
  return { worker: () => policy, origin: 'https://court.example', pass: async () => {} };
});

itIsARobotsCache('on one data directory', async (getRobots, settings, clock) => {
  const policies = (await notedFleet(4, { clock })).map(
    ({ politeness }) =>
      new RobotsPolicy({ clock, random: systemRandom, getRobots, settings, store: politeness.robots }),
  );
  return { worker: inTurn(policies), origin: 'https://court.example', pass: async () => {} };
});

itIsARobotsCache('over Redis', async (getRobots, settings, clock) => {
  const { maxAgeMs } = settings;
  const fleet = await fleetOf(4, redis, { clock, ...(maxAgeMs !== undefined && { robotsMaxAgeMs: maxAgeMs }) });
  const policies = fleet.map(
    ({ politeness }) =>
      new RobotsPolicy({ clock, random: systemRandom, getRobots, settings, store: politeness.robots }),
  );
  const host = newHost();
  const pass = async (ms: number) => {
    const [first] = fleet;
    if (first !== undefined) await passOnRedis(first.connection, [`robots:${host}`], ms);
  };
  return { worker: inTurn(policies), origin: `https://${host}`, pass };
});
