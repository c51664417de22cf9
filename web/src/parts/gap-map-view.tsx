// Which ids of a walk exist: a map to look at, and the stretches that are no hits as a table.

import type { AnswerOf } from '../../../src/server/contract/routes.ts';
import { countOf, formatCount } from '../lib/format.ts';
import { ID_STATES, type IdLetter, layOutGapMap, readStretches, type Stretch } from '../lib/gap-map.ts';

type Walk = AnswerOf<'runWalks'>['walks'][number];

const CELL = { width: 8, height: 12, gap: 3 };
const MOST_LISTED = 200;

export function GapMapView({ walk }: { readonly walk: Walk }) {
  const stretches = readStretches(walk.gapMap.from, walk.gapMap.runs);
  const { rows, idsPerCell } = layOutGapMap(stretches);
  const name = walk.partition === '' ? walk.speculator : `${walk.speculator} (${walk.partition})`;
  const letters = (Object.keys(ID_STATES) as IdLetter[]).filter((letter) => stretches.some((s) => s.letter === letter));
  const others = stretches.filter(({ letter }) => !['h', 'n', 'p'].includes(letter));
  const step = CELL.height + CELL.gap;
  return (
    <div class="walk">
      <h3>{name}</h3>
      <p class="walk-facts">{factsOf(walk)}</p>
      {rows.length > 0 && (
        <div class="gap-map">
          <div class="gap-ids" aria-hidden="true">
            {rows.map(({ first }) => (
              <span key={first}>{formatCount(first)}</span>
            ))}
          </div>
          <svg
            viewBox={`0 0 ${100 * CELL.width} ${rows.length * step}`}
            role="img"
            aria-label={`Map of ids: ${letters.map((letter) => `${formatCount(countIds(stretches, letter))} ${ID_STATES[letter].name}`).join(', ')}`}
            preserveAspectRatio="none"
          >
            {rows.map(({ first, segments }, row) =>
              segments.map(({ column, cells, letter, from, to }) => (
                <rect
                  key={`${first}-${column}`}
                  class={`gap v-${ID_STATES[letter].verdict}`}
                  x={column * CELL.width}
                  y={row * step}
                  width={cells * CELL.width}
                  height={CELL.height}
                >
                  <title>{`${idsOf(from, to)}: ${ID_STATES[letter].name}`}</title>
                </rect>
              )),
            )}
          </svg>
        </div>
      )}
      <ul class="legend">
        {letters.map((letter) => (
          <li key={letter}>
            <span class={`swatch v-${ID_STATES[letter].verdict}`} aria-hidden="true" />
            <b>{formatCount(countIds(stretches, letter))}</b> {ID_STATES[letter].name}
          </li>
        ))}
        {idsPerCell > 1 && <li class="faint">a cell is {formatCount(idsPerCell)} ids and shows the worst of them</li>}
      </ul>
      {others.length > 0 && (
        <details>
          <summary>{countOf(others.length, 'stretch', 'stretches')} of ids that are no hits</summary>
          <ul class="stretches">
            {others.slice(0, MOST_LISTED).map(({ from, to, letter }) => (
              <li key={from}>
                {idsOf(from, to)} <span class="faint">{ID_STATES[letter].name}</span>
              </li>
            ))}
            {others.length > MOST_LISTED && <li class="faint">and {formatCount(others.length - MOST_LISTED)} more</li>}
          </ul>
        </details>
      )}
    </div>
  );
}

function factsOf({ definite, plus, highestHit, next, finished }: Walk): string {
  return [
    `${idsOf(definite.first, definite.last)} are certain, then ${countOf(plus, 'id')} beyond the last hit.`,
    highestHit === null ? 'No hit yet.' : `Highest hit ${formatCount(highestHit)}.`,
    finished ? 'The walk is finished.' : `Next to be asked: ${formatCount(next)}.`,
  ].join(' ');
}

function idsOf(from: number, to: number): string {
  return from === to ? `id ${formatCount(from)}` : `ids ${formatCount(from)}–${formatCount(to)}`;
}

function countIds(stretches: readonly Stretch[], letter: IdLetter): number {
  return stretches.reduce((sum, stretch) => (stretch.letter === letter ? sum + stretch.to - stretch.from + 1 : sum), 0);
}
