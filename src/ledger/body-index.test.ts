import { hash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scratchDirectory } from '../../test/fixtures/scratch-directory.ts';
import { Database } from './database.ts';
import { ExchangeTable } from './exchange-table.ts';
import type { NewExchange, RequestId } from './page-result.ts';

const scratch = scratchDirectory();

const sha256Of = (body: number) => hash('sha256', String(body), 'buffer');

function exchange(body: number, more: Partial<NewExchange> = {}): NewExchange {
  return {
    url: `http://court.example/${body}`,
    at: 0,
    durationMs: 1,
    status: 200,
    bodySha256: sha256Of(body),
    bodySize: 10,
    filePath: undefined,
    revisitOf: undefined,
    segment: 1,
    requestOffset: 0,
    requestLength: 1,
    responseOffset: 1,
    responseLength: 1,
    ...more,
  };
}

const commit = (database: Database, table: ExchangeTable, ...bodies: number[]) =>
  database.transaction(() => {
    for (const body of bodies) table.add(1 as RequestId, 0, exchange(body));
  });

describe('the exchange that holds a body', () => {
  it('is the first that was archived with it, whenever the index is written, also after a kill', () => {
    const steps = fc.array(
      fc.oneof(
        { weight: 6, arbitrary: fc.record({ add: fc.nat({ max: 20 }) }) },
        fc.constantFrom('write' as const, 'kill' as const),
      ),
      { maxLength: 40 },
    );
    let files = 0;
    fc.assert(
      fc.property(steps, (taken) => {
        const path = scratch(`${files++}.sqlite`);
        let database = Database.open(path);
        let table = new ExchangeTable(database);
        const first = new Map<number, number>();
        let ids = 0;
        for (const step of taken) {
          if (step === 'write') database.transaction(() => table.bodies.write());
          else if (step === 'kill') {
            // As if it were: what was only in memory is gone.
            database.close();
            database = Database.open(path);
            table = new ExchangeTable(database);
            database.transaction(() => table.bodies.catchUp());
          } else {
            commit(database, table, step.add);
            ids++;
            if (!first.has(step.add)) first.set(step.add, ids);
          }
          for (let body = 0; body <= 20; body++) expect(table.holding(sha256Of(body))?.id).toBe(first.get(body));
        }
        database.close();
      }),
      { numRuns: 40 },
    );
  });

  it('is none of a transaction that did not come to be', () => {
    const database = Database.open(scratch('ledger.sqlite'));
    const table = new ExchangeTable(database);
    commit(database, table, 1);
    expect(() =>
      database.transaction(() => {
        table.add(1 as RequestId, 0, exchange(2));
        table.bodies.write();
        table.add(1 as RequestId, 0, exchange(3));
        throw new Error('no');
      }),
    ).toThrow('no');
    table.bodies.forget();
    expect([2, 3].map((body) => table.holding(sha256Of(body)))).toEqual([undefined, undefined]);
    // What was gathered before is forgotten too, until the next start.
    database.transaction(() => table.bodies.catchUp());
    expect(table.holding(sha256Of(1))?.exchange?.url).toBe('http://court.example/1');
    database.close();
  });

  it('is none that has no body of its own in the archive', () => {
    const database = Database.open(scratch('ledger.sqlite'));
    const table = new ExchangeTable(database);
    const without = [{ bodySize: 0 }, { filePath: 'a.pdf' }, { revisitOf: 1 as NonNullable<NewExchange['revisitOf']> }];
    database.transaction(() => {
      for (const [body, more] of without.entries()) table.add(1 as RequestId, 0, exchange(body, more));
      table.bodies.catchUp();
    });
    expect(without.map((_, body) => table.holding(sha256Of(body)))).toEqual([undefined, undefined, undefined]);
    database.close();
  });

  it('is found when more are archived than are gathered at once', () => {
    const database = Database.open(scratch('ledger.sqlite'));
    const table = new ExchangeTable(database);
    const bodies = Array.from({ length: 5_000 }, (_, body) => body);
    commit(database, table, ...bodies);
    const sample = bodies.filter((body) => body % 97 === 0);
    expect(sample.map((body) => table.holding(sha256Of(body))?.id)).toEqual(sample.map((body) => body + 1));
    expect(Number(database.prepare('SELECT count(*) AS n FROM bodies').get()?.n)).toBe(4_096);
    database.close();
  });
});
