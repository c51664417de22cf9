import { formatClock, formatTime } from '../lib/format.ts';

/** A time with its zone; today's without the date. The whole of it is in the tooltip. */
export function When({ at }: { readonly at: string | null }) {
  if (at === null) return <span class="faint">–</span>;
  return (
    <time dateTime={at} title={formatTime(at)}>
      {formatClock(at, Date.now())}
    </time>
  );
}
