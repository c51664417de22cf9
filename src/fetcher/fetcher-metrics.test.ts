import { expect, it } from 'vitest';
import type { BreakerState } from '../fetch/politeness/breaker-state.ts';
import { FetcherMetrics } from './fetcher-metrics.ts';
import { MOST_LABELLED_HOSTS } from './labelled-hosts.ts';

const open: BreakerState = { kind: 'open', generation: 1, failures: 7, delayMs: 30_000, probeAt: 0 };
const closed: BreakerState = { kind: 'closed', generation: 1, failures: 0 };

const linesOf = async (metrics: FetcherMetrics, name: string) =>
  (await metrics.text()).split('\n').filter((line) => line.startsWith(`page_fetcher_${name}{`));

function metricsFor(...hosts: string[]): FetcherMetrics {
  const metrics = new FetcherMetrics();
  metrics.name(hosts);
  return metrics;
}

it('every counter with a host has a sample of 0 as soon as the host is named, and one for all others from the start', async () => {
  const before = await new FetcherMetrics().text();
  const after = await metricsFor('a').text();
  const counters = [...after.matchAll(/^# TYPE (page_fetcher_\w+) counter$/gm)].map(([, name]) => name ?? '');
  const withHost = counters.filter((name) => before.includes(`${name}{`));
  expect(withHost).toHaveLength(9);
  for (const name of withHost) {
    const results = name.endsWith('probes_total') ? [',result="success"', ',result="failure"'] : [''];
    for (const result of results) {
      expect(before).toContain(`${name}{host="other"${result}} 0\n`);
      expect(before).not.toContain(`${name}{host="a"`);
      expect(after).toContain(`${name}{host="a"${result}} 0\n`);
    }
  }
  for (const name of counters.filter((counter) => !withHost.includes(counter))) expect(before).toContain(`${name} 0\n`);
});

it('naming a host again does not set its counters back', async () => {
  const metrics = metricsFor('a');
  metrics.fetched('a', 10);
  metrics.name(['a', 'b']);
  expect(await linesOf(metrics, 'pages_fetched_total')).toContain('page_fetcher_pages_fetched_total{host="a"} 1');
});

it('counts hosts without a label as one, and gives no more labels than there may be', async () => {
  const hosts = Array.from({ length: MOST_LABELLED_HOSTS + 50 }, (_, n) => `host-${n}`);
  const metrics = metricsFor('other', ...hosts);
  for (const host of hosts) metrics.fetched(host, 10);
  metrics.fetched('other', 10);
  const lines = await linesOf(metrics, 'pages_fetched_total');
  expect(lines).toHaveLength(MOST_LABELLED_HOSTS + 1);
  expect(lines).toContain('page_fetcher_pages_fetched_total{host="host-0"} 1');
  expect(lines).toContain('page_fetcher_pages_fetched_total{host="other"} 51');
});

it('shows the worst breaker of the hosts without a label', async () => {
  const metrics = metricsFor('a');
  metrics.breakerIs('down', { ...open, delayMs: 60_000 });
  metrics.breakerIs('also-down', { ...open, failures: 9 });
  const gauges = ['circuit_breaker_state', 'circuit_breaker_consecutive_failures'];
  const shown = async () => (await Promise.all(gauges.map((name) => linesOf(metrics, name)))).flat();
  expect(await shown()).toEqual([
    'page_fetcher_circuit_breaker_state{host="other"} 1',
    'page_fetcher_circuit_breaker_state{host="a"} 0',
    'page_fetcher_circuit_breaker_consecutive_failures{host="other"} 9',
    'page_fetcher_circuit_breaker_consecutive_failures{host="a"} 0',
  ]);
  expect(await linesOf(metrics, 'circuit_breaker_current_backoff_seconds')).toContain(
    'page_fetcher_circuit_breaker_current_backoff_seconds{host="other"} 60',
  );
  metrics.name(['also-down']);
  metrics.breakerIs('down', closed);
  expect(await linesOf(metrics, 'circuit_breaker_state')).toEqual([
    'page_fetcher_circuit_breaker_state{host="other"} 0',
    'page_fetcher_circuit_breaker_state{host="a"} 0',
    'page_fetcher_circuit_breaker_state{host="also-down"} 1',
  ]);
});

it('a host that is up again has its breaker back at 0', async () => {
  const metrics = metricsFor('a');
  metrics.breakerIs('a', open);
  metrics.breakerIs('a', closed);
  expect(await linesOf(metrics, 'circuit_breaker_state')).toContain('page_fetcher_circuit_breaker_state{host="a"} 0');
});

it('counts an opening once, and not the failed probes after it', async () => {
  const metrics = metricsFor('a');
  const halfOpen: BreakerState = { kind: 'half_open', generation: 1, failures: 7, delayMs: 30_000 };
  metrics.breakerDecided('a', closed, open);
  metrics.breakerDecided('a', open, halfOpen);
  metrics.breakerDecided('a', halfOpen, open);
  metrics.breakerDecided('a', halfOpen, closed);
  expect(await linesOf(metrics, 'circuit_breaker_opened_total')).toContain(
    'page_fetcher_circuit_breaker_opened_total{host="a"} 1',
  );
  expect(await linesOf(metrics, 'circuit_breaker_closed_total')).toContain(
    'page_fetcher_circuit_breaker_closed_total{host="a"} 1',
  );
});

it('has no sizes before they are known, and none when they are not known any more', async () => {
  const metrics = new FetcherMetrics();
  const samples = async () => (await metrics.text()).match(/^page_fetcher_(input_queue|dlq|outbox)_size .*$/gm) ?? [];
  expect(await samples()).toEqual([]);
  metrics.levels({ waiting: 3, leased: 0, deadLetters: 2, outbox: 1 });
  expect(await samples()).toEqual([
    'page_fetcher_input_queue_size 3',
    'page_fetcher_dlq_size 2',
    'page_fetcher_outbox_size 1',
  ]);
  metrics.levels(undefined);
  expect(await samples()).toEqual([]);
});
