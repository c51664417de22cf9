import { describe, expect, it } from 'vitest';
import { MirrorParams } from '../contract/start.ts';
import { mirrorCommand, mirrorStartables } from './mirror-startable.ts';

const SOURCE = 'unreported_judgments';
const argsOf = (params: MirrorParams) => mirrorCommand(SOURCE, params, 'ui', ['--rate=5']).args;

/** What each parameter adds to the command line. */
const ADDED: Record<keyof MirrorParams, readonly [MirrorParams[keyof MirrorParams], readonly string[]]> = {
  mode: ['full', ['--mode=full']],
  target_source: ['UJ', []],
  limit: [7, ['--limit=7']],
  new_limit: [7, ['--limit=7']],
  resume_strategy: ['none', ['--resume-strategy=none']],
  dry_run: [true, ['--dry-run']],
  per_download_delay: [0.5, ['--delay=0.5']],
  max_retries: [6, ['--max-retries=6']],
  concurrency: [3, ['--concurrency=3']],
  accept_shrink: [true, ['--accept-shrink']],
  stale_index_ok: [true, ['--stale-index-ok']],
  cases: [
    ['A1', 'B2'],
    ['--case=A1', '--case=B2'],
  ],
  client: ['browser', ['--client=browser']],
  settings: [
    { rate: 'off', robots: 'strict', allowHosts: 'a.example, b.example:81' },
    ['--rate=off', '--robots=strict', '--allow-host=a.example', '--allow-host=b.example:81'],
  ],
};

describe('the command line of a mirror run', () => {
  it('has every parameter there is', () => {
    expect(Object.keys(ADDED).sort()).toEqual(Object.keys(MirrorParams.shape).sort());
    for (const [name, [given, added]] of Object.entries(ADDED)) {
      const args = argsOf({ [name]: given });
      expect([name, args]).toEqual([name, expect.arrayContaining([...added])]);
      const plain = argsOf({}).filter((argument) => !added.some((one) => one.startsWith(argument.split('=')[0] ?? '')));
      expect([name, args]).toEqual([name, expect.arrayContaining(plain)]);
    }
  });

  it('has what the form says after what the server was started with', () => {
    const args = argsOf({ settings: { rate: '2' } });
    expect(args.indexOf('--rate=2')).toBeGreaterThan(args.indexOf('--rate=5'));
  });

  it('is that of a form whose fields have their defaults', () => {
    const [startable] = mirrorStartables({});
    const properties = Object.entries(startable?.schema.properties as Record<string, { default?: unknown }>);
    const defaults = Object.fromEntries(
      properties.flatMap(([name, field]) => ('default' in field ? [[name, field.default]] : [])),
    );
    expect(startable?.commandFor(defaults, []).isDryRun).toBe(false);
  });
});
