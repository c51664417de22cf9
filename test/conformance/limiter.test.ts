import { TokenBucket } from '../../src/fetch/politeness/token-bucket.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { systemRandom } from '../../src/platform/random.ts';
import { notedFleet, notesAreRead } from '../fixtures/noted-fleet.ts';
import { fleetOf, inTurn, newHost, toldOf } from '../fixtures/redis-fleet.ts';
import { redisOrSkip } from '../fixtures/services.ts';
import { itIsALimiter } from './limiter.ts';

const redis = await redisOrSkip();

itIsALimiter('in one process', async (settings) => {
  const bucket = new TokenBucket(systemClock, systemRandom, settings);
  return { worker: () => bucket, told: async () => {} };
});

itIsALimiter('on one data directory', async (settings) => {
  const next = inTurn(await notedFleet(4));
  return { worker: () => next().politeness.limiter('court.example', settings), told: notesAreRead };
});

itIsALimiter('over Redis', async (settings) => {
  const host = newHost();
  const fleet = await fleetOf(4, redis);
  const next = inTurn(fleet);
  return { worker: () => next().politeness.limiter(host, settings), told: () => toldOf(fleet) };
});
