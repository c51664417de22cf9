import { hash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scratchDirectory } from '../../test/fixtures/scratch-directory.ts';
import { Database } from './database.ts';
import type { HostId, NewRequest, Settlement } from './page-result.ts';
import { RequestTable } from './request-table.ts';
import type { RunId } from './run.ts';
import { sampleRequest } from './sample-request.ts';

const scratch = scratchDirectory();
let files = 0;

const HOST = 1 as HostId;
const run = (id: number) => id as RunId;

function request(name: number, reading = 0): NewRequest {
  const url = `http://court.example/${name}`;
  return { spec: sampleRequest({ url }), host: 'court.example', identity: identityOf(name), reading };
}

function identityOf(name: number): Uint8Array {
  return hash('sha256', String(name), 'buffer').subarray(0, 16);
}

const settlements: fc.Arbitrary<Settlement> = fc.oneof(
  fc.record({
    kind: fc.constant('settled' as const),
    verdict: fc.constantFrom('done' as const, 'failed' as const),
    status: fc.constantFrom(200, 404, undefined),
    reason: fc.constantFrom('undefined', 'null', '', undefined),
  }),
  fc.record({ kind: fc.constant('delayed' as const), dueAt: fc.constantFrom(5, 6), reason: fc.constant('slow') }),
  fc.constant({ kind: 'returned' } as const),
);

describe('the queue of a run', () => {
  it('takes each identity once, whoever else adds to it, whatever became of a transaction', () => {
    const adds = fc.record({
      run: fc.constantFrom(1, 2),
      by: fc.constantFrom(0, 1),
      name: fc.nat({ max: 8 }),
      reading: fc.constantFrom(0, 1),
      rollsBack: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(adds, { maxLength: 40 }), (steps) => {
        const path = scratch(`${files++}.sqlite`);
        const databases = [Database.open(path), Database.open(path)] as const;
        const tables = databases.map((database) => new RequestTable(database));
        const oracle = new Map<string, number>();
        const conflicts = new Map([1, 2].map((id) => [id, new Set<number>()]));
        for (const { by, name, reading, rollsBack, ...step } of steps) {
          const key = `${step.run} ${name}`;
          const known = oracle.get(key);
          let isNew: boolean | undefined;
          const work = () => {
            isNew = tables[by]?.add(run(step.run), HOST, request(name, reading), undefined);
            if (rollsBack) throw new Error('no');
          };
          try {
            databases[by].transaction(work);
            if (known === undefined) oracle.set(key, reading);
            else if (known !== reading) conflicts.get(step.run)?.add(name);
          } catch {
            tables[by]?.forget();
          }
          expect(isNew).toBe(known === undefined);
        }
        for (const [id, names] of conflicts) expect(tables[0]?.conflicting(run(id))?.count ?? 0).toBe(names.size);
        for (const database of databases) database.close();
      }),
      { numRuns: 60 },
    );
  });

  it('knows of each request what became of it, however many are settled at once', () => {
    fc.assert(
      fc.property(fc.array(settlements, { maxLength: 20 }), (outcomes) => {
        const database = Database.open(scratch(`${files++}.sqlite`));
        const table = new RequestTable(database);
        const claimed = database.transaction(() => {
          for (const name of outcomes.keys()) table.add(run(1), HOST, request(name), undefined);
          return table.claim(run(1), HOST, outcomes.length);
        });
        expect(claimed.map(({ spec }) => spec.url)).toEqual(outcomes.map((_, name) => request(name).spec.url));
        expect(table.claim(run(1), HOST, 100)).toEqual([]);
        const pages = claimed.map((request, name) => ({ request, settlement: outcomes[name] as Settlement }));
        database.transaction(() => table.settle(pages));

        const { settled = [], delayed = [], returned = [] } = Object.groupBy(pages, (page) => page.settlement.kind);
        for (const { request, settlement } of settled) {
          const { kind: _, ...fate } = settlement as Extract<Settlement, { kind: 'settled' }>;
          expect(table.fateOf(run(1), request.identity)).toEqual({ id: request.id, ...fate });
        }
        // Ready: what was returned, untouched; and what was delayed, when its time has come.
        expect(table.claim(run(1), HOST, 100)).toEqual(returned.map(({ request }) => request));
        for (const due of [5, 6]) {
          table.promoteDue(run(1), HOST, due);
          const ready = delayed.filter(({ settlement: s }) => s.kind === 'delayed' && s.dueAt === due);
          expect(table.claim(run(1), HOST, 100)).toEqual(ready.map(({ request }) => ({ ...request, attempts: 1 })));
        }
        database.close();
      }),
      { numRuns: 60 },
    );
  });
});
