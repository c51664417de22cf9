import { expect, it } from 'vitest';
import type { BreakerState } from '../fetch/politeness/breaker-state.ts';
import { FetcherMetrics, MOST_HOSTS } from './fetcher-metrics.ts';

const open: BreakerState = { kind: 'open', generation: 1, failures: 7, delayMs: 30_000, probeAt: 0 };
const closed: BreakerState = { kind: 'closed', generation: 1, failures: 0 };

const linesOf = async (metrics: FetcherMetrics, name: string) =>
  (await metrics.text()).split('\n').filter((line) => line.startsWith(`page_fetcher_${name}{`));

it('counts hosts beyond the first hundred as one', async () => {
  const metrics = new FetcherMetrics();
  for (let host = 0; host < MOST_HOSTS + 50; host++) metrics.fetched(`host-${host}`, 10);
  const lines = await linesOf(metrics, 'pages_fetched_total');
  expect(lines).toHaveLength(MOST_HOSTS + 1);
  expect(lines).toContain('page_fetcher_pages_fetched_total{host="host-0"} 1');
  expect(lines).toContain('page_fetcher_pages_fetched_total{host="other"} 50');
});

it('shows the breaker of a host in trouble, at the cost of one that is not', async () => {
  const metrics = new FetcherMetrics();
  for (let host = 0; host < MOST_HOSTS; host++) metrics.fetched(`host-${host}`, 10);
  metrics.breakerIs('down', open);
  const states = await linesOf(metrics, 'circuit_breaker_state');
  expect(states).toHaveLength(MOST_HOSTS);
  expect(states).toContain('page_fetcher_circuit_breaker_state{host="down"} 1');
  expect(await linesOf(metrics, 'circuit_breaker_consecutive_failures')).toContain(
    'page_fetcher_circuit_breaker_consecutive_failures{host="down"} 7',
  );
  expect(await linesOf(metrics, 'circuit_breaker_current_backoff_seconds')).toContain(
    'page_fetcher_circuit_breaker_current_backoff_seconds{host="down"} 30',
  );
});

it('a host that is up again has its breaker back at 0', async () => {
  const metrics = new FetcherMetrics();
  metrics.breakerIs('a', open);
  metrics.breakerIs('a', closed);
  expect(await linesOf(metrics, 'circuit_breaker_state')).toEqual(['page_fetcher_circuit_breaker_state{host="a"} 0']);
});

it('counts an opening once, and not the failed probes after it', async () => {
  const metrics = new FetcherMetrics();
  const halfOpen: BreakerState = { kind: 'half_open', generation: 1, failures: 7, delayMs: 30_000 };
  metrics.breakerDecided('a', closed, open);
  metrics.breakerDecided('a', open, halfOpen);
  metrics.breakerDecided('a', halfOpen, open);
  metrics.breakerDecided('a', halfOpen, closed);
  expect(await linesOf(metrics, 'circuit_breaker_opened_total')).toEqual([
    'page_fetcher_circuit_breaker_opened_total{host="a"} 1',
  ]);
  expect(await linesOf(metrics, 'circuit_breaker_closed_total')).toEqual([
    'page_fetcher_circuit_breaker_closed_total{host="a"} 1',
  ]);
});
