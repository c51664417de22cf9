import type { ComponentChildren } from 'preact';
import { Link } from './link.tsx';

/** Where a page of a run belongs; `children` is where it is within the run. */
export function RunTrail({ run, children }: { readonly run: number; readonly children: ComponentChildren }) {
  return (
    <>
      <Link to="/runs">Runs</Link> / <Link to={`/runs/${run}`}>#{run}</Link> / {children}
    </>
  );
}
