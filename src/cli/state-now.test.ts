import { expect, it, onTestFinished } from 'vitest';
import { scratchDirectory } from '../../test/fixtures/scratch-directory.ts';
import { Ledger } from '../ledger/ledger.ts';
import { systemClock } from '../platform/clock.ts';
import { stateNow } from './state-now.ts';

const scratch = scratchDirectory();

it('a run that no process ever had is not started, and one that ended after it was read is neither running nor killed', async () => {
  const ledger = await Ledger.open(scratch(), { clock: systemClock });
  onTestFinished(() => ledger.close());
  const run = { kind: 'scraper', trigger: 'cli', name: 'Court', source: undefined } as const;
  const id = await ledger.createRun({ ...run, params: {}, settings: {}, replayOf: undefined }, []);
  const read = await ledger.run(id);
  expect(await stateNow(ledger, read)).toBe('not_started');
  const writer = await ledger.takeRun(id);
  expect(await stateNow(ledger, read)).toBe('running');
  await writer.end('interrupted', undefined);
  expect(await stateNow(ledger, read)).toBe('interrupted');
});
