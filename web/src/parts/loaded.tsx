// What a page shows while it has nothing, and when it cannot have it. An error says what happened, to what, and what to do.

import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { ApiError } from '../lib/api.ts';
import type { Resource } from '../lib/use-resource.ts';

const PATIENCE_MS = 300;

/** Nothing at first: most answers are there before one could read it. */
function Loading({ what }: { readonly what: string }) {
  const [shown, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div class="loading" role="status">
      {shown && (
        <>
          <span class="spinner" aria-hidden="true" />
          Loading {what} …
        </>
      )}
    </div>
  );
}

interface FailureProps {
  readonly what: string;
  readonly error: ApiError;
  readonly retry: () => void;
}

export function Failure({ what, error, retry }: FailureProps) {
  return (
    <div class="failure" role="alert">
      <p class="failure-title">Could not load {what}</p>
      <p>{error.message}</p>
      {error.remedy !== undefined && <p>{error.remedy}</p>}
      <p class="failure-foot">
        <button type="button" onClick={retry}>
          Try again
        </button>
        <code>{error.status === 0 ? error.code : `${error.status} ${error.code}`}</code>
      </p>
    </div>
  );
}

export function Empty({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children}
    </div>
  );
}

interface LoadedProps<T> {
  readonly what: string;
  readonly resource: Resource<T>;
  readonly children: (data: T) => ComponentChildren;
}

/** Shows what there is, and says when it could not be brought up to date. */
export function Loaded<T>({ what, resource, children }: LoadedProps<T>) {
  const { data, error, reload } = resource;
  if (data === undefined) {
    return error === undefined ? <Loading what={what} /> : <Failure what={what} error={error} retry={reload} />;
  }
  return (
    <>
      {error !== undefined && (
        <p class="stale" role="status">
          This may be out of date: {error.message}{' '}
          <button type="button" class="quiet" onClick={reload}>
            Try again
          </button>
        </p>
      )}
      {children(data)}
    </>
  );
}
