// Commands in a message, as they work when they are pasted: with the name Curlew was called by, and its data directory.

import { COMMANDS } from './commands.ts';
import { ownName, quoted } from './own-name.ts';

/** Commands with subcommands of their own. */
const GROUPS = ['sites', 'mirror'];
/** Commands that have no data directory. */
const WITHOUT_DATA: ReadonlySet<string> = new Set([
  'demo',
  'court',
  'describe',
  'fetcher',
  'enqueue',
  'tail',
  'dead-letters',
]);

/** Rewrites every `curlew <command>` in `text`; other mentions of Curlew stay. */
export function asCalled(text: string, argv: readonly string[] = process.argv): string {
  const data = dataIn(argv);
  return text.replace(/\bcurlew ([a-z-]+)( [a-z]+\b)?/g, (whole, command: string, rest = '') => {
    if (!(command in COMMANDS)) return whole;
    const isGroup = GROUPS.includes(command) && rest !== '';
    const where = data === undefined || WITHOUT_DATA.has(command) ? '' : ` --data ${quoted(data)}`;
    return `${ownName(argv[1])} ${command}${isGroup ? rest + where : where + rest}`;
  });
}

function dataIn(argv: readonly string[]): string | undefined {
  const at = argv.indexOf('--data');
  return at === -1 ? argv.find((argument) => argument.startsWith('--data='))?.slice('--data='.length) : argv[at + 1];
}
