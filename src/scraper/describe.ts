// A scraper described as data, for `--help`, forms and tools.

import { defineScraper } from './definition.ts';
import type { Scraper } from './scraper.ts';
import type { Partition } from './speculate.ts';
import type { StandardSchema } from './standard-schema.ts';

/** What a scraper offers: for forms, documentation and machines. */
export interface ScraperDescription {
  readonly name: string;
  readonly baseUrl: string;
  /** `params` is the JSON Schema of the entry's parameters, null when it takes none. */
  readonly entries: readonly { readonly name: string; readonly params: JsonSchema | null }[];
  readonly speculators: readonly (SpeculatorDescription & { readonly partitions: readonly Partition[] })[];
  readonly steps: readonly string[];
}

/** What is known of the ids of a speculator. */
export interface SpeculatorDescription {
  readonly name: string;
  readonly highestObserved: number;
  readonly observationDate: string | undefined;
  readonly largestObservedGap: number;
}

/** A JSON Schema, draft 2020-12. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export function describeScraper(scraper: Scraper): ScraperDescription {
  const definition = defineScraper(scraper);
  return {
    name: definition.name,
    baseUrl: scraper.baseUrl,
    entries: [...definition.entries].map(([name, entry]) => ({ name, params: jsonSchemaOf(entry.schema) })),
    speculators: [...definition.speculators].map(([name, { options, partitions }]) => ({
      name,
      highestObserved: options.highestObserved,
      observationDate: options.observationDate,
      largestObservedGap: options.largestObservedGap,
      partitions,
    })),
    steps: definition.steps,
  };
}

/** The JSON Schema of what `schema` accepts; `{}` (anything) when its library cannot tell. */
function jsonSchemaOf(schema: StandardSchema | undefined): JsonSchema | null {
  if (schema === undefined) return null;
  const converter = schema['~standard'].jsonSchema;
  return converter === undefined ? {} : converter.input({ target: 'draft-2020-12' });
}
