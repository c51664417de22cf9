// Losses that stay findings: lost exchanges whose place a different answer has taken. Each is open until the same bytes are there
// again, or until a person accepts it.

import type { Database } from '../database.ts';
import type { ExchangeId } from '../page-result.ts';
import type { RunId } from '../run.ts';

/** A loss that a person accepts: of an exchange, or of rows that the counts of the run say were there. */
export interface AcceptedLoss {
  readonly run: RunId;
  readonly exchange: ExchangeId | undefined;
  /** As it was found. */
  readonly problem: string;
}

/** The condition that a row of `exchanges` is such a loss. */
export const IS_OPEN_LOSS = `lost IS NOT NULL AND replaced_by IS NULL
  AND EXISTS (SELECT 1 FROM different_answers WHERE exchange_id = exchanges.id)`;

/** Whether the ledger knows of such losses: an older one, which is looked at as it is, does not. */
export function knowsOpenLosses(database: Database): boolean {
  const sql = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'different_answers'";
  return database.prepare(sql).get() !== undefined;
}

/** Call it within the transaction that marks the exchange as lost. */
export function addOpenLoss(database: Database, id: ExchangeId): void {
  database.prepare('INSERT OR IGNORE INTO different_answers (exchange_id) VALUES (?)').run(id);
}

export function acceptOpenLoss(database: Database, id: ExchangeId): void {
  database.prepare('DELETE FROM different_answers WHERE exchange_id = ?').run(id);
}

/** All of them: as many as repairs have met. */
export function findOpenLosses(database: Database): ExchangeId[] {
  const sql = `SELECT id FROM exchanges WHERE id IN (SELECT exchange_id FROM different_answers) AND ${IS_OPEN_LOSS}`;
  return database
    .prepare(sql)
    .all()
    .map(({ id }) => id as ExchangeId);
}
