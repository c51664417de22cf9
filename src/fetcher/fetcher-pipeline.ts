// The pipeline of a fetcher: pages only, at the pace and with the limits of its configuration.

import { createPipeline } from '../fetch/create-pipeline.ts';
import { NO_MEMORY } from '../fetch/fetch-memory.ts';
import type { FetchPipeline } from '../fetch/fetch-pipeline.ts';
import type { SharedPoliteness } from '../fetch/shared-politeness.ts';
import type { Clock } from '../platform/clock.ts';
import { CurlewError, ErrorCode } from '../platform/errors.ts';
import type { Random } from '../platform/random.ts';
import type { FetcherConfig } from './fetcher-config.ts';

interface PipelineWorld {
  readonly clock: Clock;
  readonly random: Random;
  readonly shared: SharedPoliteness;
}

export function fetcherPipeline(config: FetcherConfig, world: PipelineWorld): FetchPipeline {
  return createPipeline(
    {
      rate: config.ratePerSecond,
      robots: config.robots,
      robotsMaxAgeMs: config.robotsTxtCacheTtlMs,
      allowHosts: config.allowHosts,
      userAgent: config.userAgent,
      maxPageBytes: config.maxPageBytes,
      maxFileBytes: config.maxPageBytes,
      totalTimeoutMs: config.requestTimeoutMs,
    },
    {
      ...world,
      files: NO_FILES,
      memory: NO_MEMORY,
      breaker: {
        failureThreshold: config.breakerFailureThreshold,
        initialDelayMs: config.breakerInitialBackoffMs,
        maxDelayMs: config.breakerMaxBackoffMs,
        multiplier: config.breakerBackoffMultiplier,
      },
    },
  );
}

/** Nothing is downloaded to files here. */
const NO_FILES = {
  async begin(): Promise<never> {
    throw new CurlewError(ErrorCode.internal, 'The page fetcher has no place for files.');
  },
};
