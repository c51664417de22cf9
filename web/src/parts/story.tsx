// What happened to a request or a case, in order, as sentences; what was archived on the way is a click away.

import type { ComponentChildren } from 'preact';
import type { z } from 'zod';
import type { Exchange, StoryStep } from '../../../src/server/contract/requests.ts';
import { formatBytes, localTimes } from '../lib/format.ts';
import { ownPath } from '../lib/safe-link.ts';
import { Link } from './link.tsx';
import { When } from './when.tsx';

type ExchangeRow = z.infer<typeof Exchange>;

interface StoryProps {
  readonly steps: readonly StoryStep[];
  readonly exchanges?: readonly ExchangeRow[];
  /** What stands below the sentence of a step, if anything does. */
  readonly more?: (step: StoryStep) => ComponentChildren;
}

export function Story({ steps, exchanges = [], more }: StoryProps) {
  return (
    <ol class="story">
      {steps.map((step, at) => {
        const exchange = exchanges.find(({ id }) => id === step.exchange);
        return (
          <li key={at}>
            <div class="story-time">{step.at === null ? '' : <When at={step.at} />}</div>
            <div class="story-what">
              <Sentence step={step} />
              {more?.(step)}
              {exchange !== undefined && <BodyLinks exchange={exchange} />}
            </div>
          </li>
        );
      })}
    </ol>
  );
}

/** Where it begins with its run, that leads to the run. */
function Sentence({ step: { what, run } }: { readonly step: StoryStep }) {
  const text = localTimes(what, Date.now());
  const name = `Run ${run}`;
  if (run === null || !text.startsWith(name)) return <span>{text}</span>;
  return (
    <span>
      <Link to={`/runs/${run}`}>{name}</Link>
      {text.slice(name.length)}
    </span>
  );
}

/** Downloads of an archived body. It is never shown as a page: it came from elsewhere. */
export function BodyLinks({ exchange }: { readonly exchange: ExchangeRow }) {
  const path = exchange.bodyUrl === null ? undefined : ownPath(exchange.bodyUrl);
  if (path === undefined) return null;
  const isText = /^(text\/|application\/(json|xhtml|xml))/.test(exchange.contentType ?? '');
  return (
    <span class="body-links">
      <a href={path} download={exchange.fileName ?? ''}>
        Download {exchange.fileName ?? 'the archived body'}
      </a>
      <span class="faint">
        {formatBytes(exchange.bodySize)}
        {exchange.contentType === null ? '' : `, ${exchange.contentType}`}
      </span>
      {isText && (
        <a href={`${path}${path.includes('?') ? '&' : '?'}view=source`} target="_blank" rel="noopener">
          Read as text<span class="hidden"> (in a new tab)</span>
        </a>
      )}
    </span>
  );
}
