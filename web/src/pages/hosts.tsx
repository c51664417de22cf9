// The hosts that were asked: whether they are up, how fast they are asked, what their robots.txt says; and proxies that rest.

import { useEffect } from 'preact/hooks';
import type { HostRow } from '../../../src/server/contract/hosts.ts';
import type { AnswerOf } from '../../../src/server/contract/routes.ts';
import { countOf, formatCount, formatDuration, formatRate } from '../lib/format.ts';
import { useResource } from '../lib/use-resource.ts';
import { Badge } from '../parts/badge.tsx';
import { Empty, Loaded } from '../parts/loaded.tsx';
import { Page, Panel } from '../parts/page.tsx';
import { When } from '../parts/when.tsx';

const REFRESH_MS = 5_000;
const BREAKERS = {
  closed: { tone: 'good', text: 'up' },
  open: { tone: 'bad', text: 'down' },
  half_open: { tone: 'warn', text: 'being tried' },
} as const;

export function Hosts() {
  const hosts = useResource<'hosts'>('/api/hosts');
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') hosts.reload();
    }, REFRESH_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <Page title="Hosts" lede="How each host is treated. The rules hold over all runs, and over restarts.">
      <Loaded what="the hosts" resource={hosts}>
        {(data) => (
          <>
            <Panel title="Hosts" id="hosts">
              {data.hosts.length === 0 ? (
                <Empty title="No host has been asked yet" />
              ) : (
                <HostTable hosts={data.hosts} />
              )}
            </Panel>
            <Panel title="Proxies that rest" id="proxies">
              <Proxies proxies={data.proxies} />
            </Panel>
          </>
        )}
      </Loaded>
    </Page>
  );
}

function HostTable({ hosts }: { readonly hosts: readonly HostRow[] }) {
  return (
    <table class="cards">
      <caption class="hidden">Hosts</caption>
      <thead>
        <tr>
          <th scope="col">Host</th>
          <th scope="col">Breaker</th>
          <th scope="col" class="is-end">
            At most
          </th>
          <th scope="col">Retry-After</th>
          <th scope="col" class="is-end">
            Requests
          </th>
          <th scope="col">robots.txt</th>
        </tr>
      </thead>
      <tbody>
        {hosts.map((host) => (
          <tr key={host.host}>
            <th scope="row">{host.host}</th>
            <td data-label="Breaker">
              <Badge tone={BREAKERS[host.breaker.state].tone}>{BREAKERS[host.breaker.state].text}</Badge>
              {host.breaker.failures > 0 && (
                <span class="faint"> {countOf(host.breaker.failures, 'failure')} in a row</span>
              )}
              {host.breaker.nextProbeAt !== null && (
                <span class="faint">
                  , tried again at <When at={host.breaker.nextProbeAt} />
                </span>
              )}
            </td>
            <td data-label="At most" class="is-end">
              {host.perSecond === null ? 'no limit' : formatRate(host.perSecond)}
              {host.intervalMs > 0 && <span class="faint"> every {formatDuration(host.intervalMs)}</span>}
            </td>
            <td data-label="Retry-After">
              {host.heldUntil === null ? (
                <span class="faint">none</span>
              ) : (
                <>
                  until <When at={host.heldUntil} />
                </>
              )}
            </td>
            <td data-label="Requests" class="is-end">
              {formatCount(host.requests)}
            </td>
            <td data-label="robots.txt">
              <Robots host={host} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Robots({ host: { robots, allowed, disallowed } }: { readonly host: HostRow }) {
  return (
    <>
      <span>
        {formatCount(allowed)} allowed, {formatCount(disallowed)} refused
      </span>
      {robots.map((file) => (
        <details key={file.origin} class="robots">
          <summary>
            {file.found}
            <span class="hidden"> at {file.origin}</span>
          </summary>
          <p class="faint">
            {file.origin}: {file.reason}, fetched <When at={file.fetchedAt} />
          </p>
          {file.text !== null && <pre>{file.text}</pre>}
        </details>
      ))}
    </>
  );
}

function Proxies({ proxies }: { readonly proxies: AnswerOf<'hosts'>['proxies'] }) {
  if (proxies.length === 0) return <p class="all-well">None rests.</p>;
  return (
    <table class="cards">
      <caption class="hidden">Proxies that rest</caption>
      <thead>
        <tr>
          <th scope="col">Proxy</th>
          <th scope="col">Site</th>
          <th scope="col" class="is-end">
            Failures
          </th>
          <th scope="col">Last error</th>
          <th scope="col">Failed</th>
          <th scope="col">Back at</th>
        </tr>
      </thead>
      <tbody>
        {proxies.map((proxy) => (
          <tr key={`${proxy.site} ${proxy.proxy}`}>
            <th scope="row">{proxy.proxy}</th>
            <td data-label="Site">{proxy.site}</td>
            <td data-label="Failures" class="is-end">
              {formatCount(proxy.failures)}
            </td>
            <td data-label="Last error">{proxy.lastError}</td>
            <td data-label="Failed">
              <When at={proxy.failedAt} />
            </td>
            <td data-label="Back at">
              <When at={proxy.until} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
