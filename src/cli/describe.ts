import type { Command } from 'commander';
import { loadEither } from '../engine/load-scraper.ts';
import type { JsonSchema, ScraperDescription } from '../scraper/describe.ts';
import { jsonLine } from './json-line.ts';
import { addJsonOption, type JsonOption } from './options.ts';

export function define(command: Command): Command {
  command.argument('<scraper.ts>', 'file that exports a scraper or a site as default');
  addJsonOption(command);
  return command
    .addHelpText('after', '\nExample:\n  curlew describe court.ts')
    .action(async (file: string, options: JsonOption) => {
      const { kind, ...description } = await describeFile(file);
      process.stdout.write(options.json ? `${jsonLine({ kind, ...description })}\n` : format(description));
    });
}

/** A site is called by its domain, and begins from its lists. */
async function describeFile(file: string): Promise<ScraperDescription & { readonly kind: 'scraper' | 'site' }> {
  const { ScraperClass, site } = await loadEither(file);
  const description = ScraperClass.describe();
  return site === undefined ? { kind: 'scraper', ...description } : { kind: 'site', ...description, name: site.domain };
}

function format({ name, baseUrl, entries, speculators, steps }: ScraperDescription): string {
  const lines = [`${name}  ${baseUrl}`, '', 'entries'];
  for (const entry of entries)
    lines.push(`  ${entry.name}${entry.params === null ? '' : `  ${parameters(entry.params)}`}`);
  if (speculators.length > 0) lines.push('', 'speculators', ...speculators.map(speculatorLine));
  lines.push('', 'steps', ...steps.map((step) => `  ${step}`), '');
  return lines.join('\n');
}

function speculatorLine(speculator: ScraperDescription['speculators'][number]): string {
  const { name, highestObserved, largestObservedGap, observationDate, partitions } = speculator;
  const when = observationDate === undefined ? '' : ` on ${observationDate}`;
  const times = partitions.length === 1 ? '' : `  ${partitions.length} partitions`;
  return `  ${name}  [--speculate ${name}=1..${highestObserved}] [--plus ${name}=${largestObservedGap}]${when}${times}`;
}

function parameters(schema: JsonSchema): string {
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  return Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>)
    .map(([name, { type, format }]) => {
      const sort = [type, format].filter((part) => typeof part === 'string').join(' ');
      return `${required.has(name) ? '' : '['}--param ${name}=<${sort || 'any'}>${required.has(name) ? '' : ']'}`;
    })
    .join(' ');
}
