// What became true in a run, newest first. It grows at its top without moving what one reads: the list scrolls by itself.

import type { StoredEvent } from '../../../src/server/contract/runs.ts';
import { formatClock, formatJson } from '../lib/format.ts';
import { Link } from './link.tsx';
import { Empty } from './loaded.tsx';
import { When } from './when.tsx';

export function EventLog({ run, events }: { readonly run: number; readonly events: readonly StoredEvent[] }) {
  if (events.length === 0) return <Empty title="Nothing has happened yet" />;
  return (
    <div class="events" tabIndex={0} role="region" aria-label="Events, newest first">
      <ul>
        {events.map((event) => (
          <li key={event.id}>
            <When at={event.at} />
            <b>{event.kind.replaceAll('_', ' ')}</b>
            <span class="events-what">
              {event.request !== null && (
                <Link to={`/runs/${run}/requests/${event.request}`}>{event.url ?? `request ${event.request}`}</Link>
              )}{' '}
              <span class="faint">{textOf(event.data)}</span>
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function textOf(data: StoredEvent['data']): string {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return formatJson(data);
  return Object.entries(data)
    .map(
      ([name, value]) =>
        `${name}: ${isTime(name, value) ? formatClock(new Date(value).toISOString(), Date.now()) : formatJson(value)}`,
    )
    .join(', ');
}

/** Events have times as milliseconds since 1970, under these names. */
function isTime(name: string, value: unknown): value is number {
  return /^(at|due|until)$|At$/.test(name) && typeof value === 'number' && value > 1e12 && value < 1e14;
}
