import { expect, it, onTestFinished } from 'vitest';
import { scratchDirectory } from '../../../test/fixtures/scratch-directory.ts';
import { Ledger } from '../../ledger/ledger.ts';
import { systemClock } from '../../platform/clock.ts';
import { RunRates } from './run-rates.ts';
import { RunRows } from './run-rows.ts';

const scratch = scratchDirectory();

it('a run that ends after it was read is shown as it ended, and not as killed', async () => {
  const ledger = await Ledger.open(scratch(), { clock: systemClock });
  onTestFinished(() => ledger.close());
  const rows = new RunRows(ledger, new RunRates(systemClock));
  const run = { kind: 'scraper', trigger: 'cli', name: 'Court', source: undefined } as const;
  const id = await ledger.createRun({ ...run, params: {}, settings: {}, replayOf: undefined }, []);
  const writer = await ledger.takeRun(id);
  const read = await ledger.reports.run(id);
  if (read === undefined) return expect.fail('there is no run');
  expect(await rows.row(read)).toMatchObject({ state: 'running', endedAt: null });

  await writer.end('completed', undefined);
  expect(await rows.row(read)).toMatchObject({
    state: 'completed',
    health: expect.any(String),
    endedAt: expect.any(String),
  });
  expect(await ledger.reports.withOwner(read)).toMatchObject({
    run: { status: 'completed' },
    owner: { state: 'none' },
  });
});
