import type { ComponentChildren } from 'preact';

/** One of the facts of a `dl`. */
export function Fact({ term, children }: { readonly term: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{term}</dt>
      <dd>{children}</dd>
    </div>
  );
}
