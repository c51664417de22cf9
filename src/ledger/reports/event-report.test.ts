import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { FakeClock } from '../../platform/fake-clock.ts';
import { Ledger } from '../ledger.ts';

it('shows what happened, and not every request that was made', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'curlew-events-'));
  const ledger = await Ledger.open(directory, { clock: new FakeClock() });
  onTestFinished(async () => {
    await ledger.close();
    await rm(directory, { recursive: true, force: true });
  });
  const writer = await ledger.mirror.startRun({
    source: 'court',
    trigger: 'cli',
    mode: 'new',
    csvVersionId: undefined,
    params: {},
  });
  const kinds = ['limits', 'answered', 'retry_after', 'page_request', 'unanswered', 'answered'];
  const events = kinds.map((kind) => ({ kind, host: 'court.example', url: 'https://court.example/' }));
  await writer.heartbeat({ sessions: undefined, hosts: new Map(), robots: new Map(), events });
  const told = ['limits', 'retry_after', 'unanswered'];
  const { reports } = ledger;
  const kindsOf = (rows: readonly { readonly kind: string }[]) => rows.map(({ kind }) => kind);
  expect(kindsOf(await reports.eventsBefore(writer.run, undefined, 10))).toEqual(told.toReversed());
  expect(kindsOf(await reports.eventsAfter(0, writer.run, 10))).toEqual(told);
  expect(kindsOf(await reports.eventsAfter(0, undefined, 10))).toEqual(told);
});
