// The hosts that were asked: whether they are up, how fast they are asked, what their robots.txt says; and proxies that rest.

import { useEffect } from 'preact/hooks';
import type { HostRow } from '../../../src/server/contract/hosts.ts';
import type { AnswerOf } from '../../../src/server/contract/routes.ts';
import { countOf, formatCount, formatDuration, formatRate } from '../lib/format.ts';
import { useResource } from '../lib/use-resource.ts';
import { Badge } from '../parts/badge.tsx';
import type { Column } from '../parts/column.ts';
import { DataTable } from '../parts/data-table.tsx';
import { Empty, Loaded } from '../parts/loaded.tsx';
import { Page, Panel } from '../parts/page.tsx';
import { When } from '../parts/when.tsx';

type ProxyRow = AnswerOf<'hosts'>['proxies'][number];

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
                <DataTable label="Hosts" columns={HOST_COLUMNS} rows={data.hosts} rowKey={({ host }) => host} />
              )}
            </Panel>
            <Panel title="Proxies that rest" id="proxies">
              {data.proxies.length === 0 ? (
                <p class="all-well">None rests.</p>
              ) : (
                <DataTable
                  label="Proxies that rest"
                  columns={PROXY_COLUMNS}
                  rows={data.proxies}
                  rowKey={({ site, proxy }) => `${site} ${proxy}`}
                />
              )}
            </Panel>
          </>
        )}
      </Loaded>
    </Page>
  );
}

const HOST_COLUMNS: readonly Column<HostRow>[] = [
  { label: 'Host', cell: ({ host }) => host },
  {
    label: 'Breaker',
    cell: ({ breaker: { state, failures, nextProbeAt } }) => (
      <>
        <Badge tone={BREAKERS[state].tone}>{BREAKERS[state].text}</Badge>
        {failures > 0 && <span class="faint"> {countOf(failures, 'failure')} in a row</span>}
        {nextProbeAt !== null && (
          <span class="faint">
            , tried again at <When at={nextProbeAt} />
          </span>
        )}
      </>
    ),
  },
  {
    label: 'At most',
    align: 'end',
    cell: ({ perSecond, intervalMs }) => (
      <>
        {perSecond === null ? 'no limit' : formatRate(perSecond)}
        {intervalMs > 0 && <span class="faint"> every {formatDuration(intervalMs)}</span>}
      </>
    ),
  },
  {
    label: 'Waiting',
    cell: ({ waiting }) =>
      waiting === null ? (
        <span class="faint">no</span>
      ) : (
        <>
          {waiting.reason}
          {waiting.until !== null && (
            <>
              , until <When at={waiting.until} />
            </>
          )}
        </>
      ),
  },
  { label: 'Requests', align: 'end', cell: ({ requests }) => formatCount(requests) },
  { label: 'robots.txt', cell: (host) => <Robots host={host} /> },
];

function Robots({ host: { robots, allowed, disallowed } }: { readonly host: HostRow }) {
  return (
    <>
      <span>
        {formatCount(allowed)} allowed, {formatCount(disallowed)} disallowed
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

const PROXY_COLUMNS: readonly Column<ProxyRow>[] = [
  { label: 'Proxy', cell: ({ proxy }) => proxy },
  { label: 'Site', cell: ({ site }) => site },
  { label: 'Failures', align: 'end', cell: ({ failures }) => formatCount(failures) },
  { label: 'Last error', cell: ({ lastError }) => lastError },
  { label: 'Failed', cell: ({ failedAt }) => <When at={failedAt} /> },
  { label: 'Back at', cell: ({ until }) => <When at={until} /> },
];
