import { expect, it } from 'vitest';
import { scratchDirectory } from '../../../test/fixtures/scratch-directory.ts';
import type { Json } from '../../platform/json.ts';
import { FetcherLedger } from './fetcher-ledger.ts';

const scratch = scratchDirectory();

it('a host that was not saved after all is not taken for one that another process has saved since', () => {
  const [one, other] = [FetcherLedger.open(scratch('data')), FetcherLedger.open(scratch('data'))];
  const state = (requests: number): Json => ({ counts: { requests } });
  const save = (ledger: FetcherLedger, host: string, requests: number) =>
    ledger.hosts.remember({ hosts: new Map([[host, state(requests)]]), robots: new Map() }, 0);
  const failing = () =>
    one.transaction(() => {
      save(one, 'new.example', 1);
      throw new Error('the disk is full');
    });
  expect(failing).toThrow('the disk is full');
  other.transaction(() => save(other, 'other.example', 100));
  one.transaction(() => save(one, 'new.example', 7));
  const counted = [...one.hosts.states()].map(([host, saved]) => [host, saved]);
  expect(counted).toMatchObject([
    ['other.example', { counts: { requests: 100 } }],
    ['new.example', { counts: { requests: 7 } }],
  ]);
  for (const ledger of [one, other]) ledger.close();
});
