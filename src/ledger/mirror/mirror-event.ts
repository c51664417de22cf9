// An event of the mirror: `[SCRAPER][LABEL] key=value`. The labels are a vocabulary that people grep for: a closed list.

import type { Json } from '../../platform/json.ts';
import type { CaseId } from './case-row.ts';

const SCRAPER_LABELS = ['NAV', 'PLAN', 'TABLE', 'DECISION', 'BOX', 'STATE', 'ERROR', 'REPLAY'] as const;
type ScraperLabel = (typeof SCRAPER_LABELS)[number];

/** Fields that are undefined are left out. A case's token is called `token_norm`: `token` would be taken for a secret. */
type EventFields = Readonly<Record<string, Json | undefined>>;

export interface MirrorEvent {
  readonly label: ScraperLabel;
  readonly caseId?: CaseId | undefined;
  readonly fields: EventFields;
}

export interface StoredMirrorEvent {
  readonly id: number;
  readonly runId: number | null;
  readonly label: string;
  readonly fields: Json;
  /** ISO 8601, UTC. */
  readonly at: string;
}
