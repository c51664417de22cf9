import { describe, expect, it } from 'vitest';
import { DirectorySync } from './directory-sync.ts';

/** Syncs that end when they are told to. */
function slowDisk() {
  const syncs: (PromiseWithResolvers<void> & { readonly directory: string })[] = [];
  const syncDirectory = (directory: string) => {
    const sync = { directory, ...Promise.withResolvers<void>() };
    syncs.push(sync);
    return sync.promise;
  };
  return { syncs, disk: new DirectorySync({ syncDirectory }) };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('syncs of a directory', () => {
  it('are shared by all who ask while one is under way, and begin after the last of them asked', async () => {
    const { syncs, disk } = slowDisk();
    const ended: string[] = [];
    const ask = (name: string) => disk.sync('pdfs').then(() => ended.push(name));
    const asked = [ask('a')];
    await turn();
    asked.push(ask('b'));
    await turn();
    asked.push(ask('c'));
    await turn();
    expect(syncs.length).toBe(1);
    syncs[0]?.resolve();
    await turn();
    // What b and c renamed may have come too late for the first one.
    expect([ended, syncs.length]).toEqual([['a'], 2]);
    asked.push(ask('d'));
    syncs[1]?.resolve();
    await turn();
    expect([ended, syncs.length]).toEqual([['a', 'b', 'c'], 3]);
    syncs[2]?.resolve();
    await Promise.all(asked);
    expect(ended).toEqual(['a', 'b', 'c', 'd']);
  });

  it('fail for those who waited for them, and for nobody else', async () => {
    const { syncs, disk } = slowDisk();
    const first = disk.sync('pdfs');
    await turn();
    const second = disk.sync('pdfs');
    syncs[0]?.reject(new Error('EIO'));
    await expect(first).rejects.toThrow('EIO');
    await turn();
    syncs[1]?.resolve();
    await expect(second).resolves.toBeUndefined();
  });

  it('of two directories do not wait for each other', async () => {
    const { syncs, disk } = slowDisk();
    const [one, two] = [disk.sync('one'), disk.sync('two')];
    await turn();
    expect(syncs.map(({ directory }) => directory)).toEqual(['one', 'two']);
    for (const sync of syncs) sync.resolve();
    await Promise.all([one, two]);
  });
});
