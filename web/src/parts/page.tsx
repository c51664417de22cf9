// The frame of every page: its title, its actions, and the heading that gets the focus when one comes here.

import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

interface PageProps {
  readonly title: string;
  /** Above the heading: where this page belongs. */
  readonly trail?: ComponentChildren;
  readonly lede?: ComponentChildren;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

let isFirst = true;

export function Page({ title, trail, lede, actions, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Curlew`;
  }, [title]);
  useEffect(() => {
    // After a real load the browser's own focus is right.
    if (isFirst) isFirst = false;
    else {
      scrollTo(0, 0);
      heading.current?.focus({ preventScroll: true });
    }
  }, []);
  return (
    <>
      <header class="page-head">
        <div class="page-title">
          {trail !== undefined && (
            <nav class="trail" aria-label="Where this page belongs">
              {trail}
            </nav>
          )}
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {lede !== undefined && <div class="lede">{lede}</div>}
        </div>
        {actions !== undefined && <div class="page-actions">{actions}</div>}
      </header>
      {children}
    </>
  );
}

interface PanelProps {
  readonly title: string;
  readonly id: string;
  readonly aside?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A part of a page, with a heading of its own. */
export function Panel({ title, id, aside, children }: PanelProps) {
  return (
    <section class="panel" aria-labelledby={id}>
      <div class="panel-head">
        <h2 id={id}>{title}</h2>
        {aside}
      </div>
      {children}
    </section>
  );
}
