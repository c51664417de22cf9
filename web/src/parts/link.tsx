// Links within the dashboard, and links out of it. The latter open only http and https, tell the other side nothing, and
// show where they lead.

import type { ComponentChildren, TargetedMouseEvent } from 'preact';
import { navigate } from '../lib/navigation.ts';
import { safeLink } from '../lib/safe-link.ts';

interface LinkProps {
  readonly to: string;
  readonly class?: string;
  readonly current?: boolean;
  readonly label?: string;
  readonly children: ComponentChildren;
}

export function Link({ to, class: className, current, label, children }: LinkProps) {
  const follow = (event: TargetedMouseEvent<HTMLAnchorElement>) => {
    // What opens a new tab or window is the browser's.
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    navigate(to);
  };
  return (
    <a href={to} class={className} aria-current={current ? 'page' : undefined} aria-label={label} onClick={follow}>
      {children}
    </a>
  );
}

/** An address from the web, as a link if it is safe, else as text. */
export function OutLink({ url }: { readonly url: string }) {
  const href = safeLink(url);
  if (href === undefined) return <span class="address">{url}</span>;
  return (
    <a class="address" href={href} target="_blank" rel="noopener noreferrer">
      {url}
      <span class="hidden"> (opens the site in a new tab)</span>
    </a>
  );
}
