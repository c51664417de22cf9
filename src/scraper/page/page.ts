// What a step gets: one answer of a site, ready to be read. No I/O, no clock; decoding and parsing happen on demand, once.

import { hash } from 'node:crypto';
import type { Document } from 'domhandler';
import { headerValue } from '../../fetch/http/header-list.ts';
import type { Json } from '../../platform/json.ts';
import type { StandardSchema } from '../standard-schema.ts';
import { describeIssues, validate } from '../validate.ts';
import { Origin, type PageSource } from './origin.ts';
import { parseJson } from './parse-json.ts';
import { Scope } from './scope.ts';
import { StructureError } from './structure-error.ts';

export type { PageSource } from './origin.ts';

/**
 * A fetched page.
 *
 * @example
 * *parseList(page: Page) {
 *   for (const row of page.all('table.cases tr', { atLeast: 1 })) {
 *     yield get(row.link('a'), this.parseCase, { filed: row.text('.filed') });
 *   }
 * }
 */
export class Page extends Scope {
  // Private, so that a page in a log line is not its whole content.
  readonly #origin: Origin;
  #bytes: Uint8Array | undefined;

  constructor(source: PageSource) {
    super();
    this.#origin = new Origin(source);
  }

  /** @internal */
  protected override get origin(): Origin {
    return this.#origin;
  }

  /** @internal */
  protected override get node(): Document {
    return this.#origin.tree.document;
  }

  /** The final URL, after redirects. */
  get url(): string {
    return this.#origin.url;
  }

  /** The URL that was asked for. */
  get requestUrl(): string {
    return this.#origin.source.requestUrl;
  }

  get status(): number {
    return this.#origin.source.status;
  }

  /** All header fields as received. */
  get headers(): PageSource['headers'] {
    return this.#origin.source.headers;
  }

  /** The value of the first header field of that name, whatever its case. */
  header(name: string): string | undefined {
    return headerValue(this.headers, name.toLowerCase());
  }

  /** The media type in lower case, without parameters: `text/html`. */
  get contentType(): string | undefined {
    return this.#origin.mediaType;
  }

  /** Where the body is archived, if it is. */
  get archivedAs(): string | undefined {
    return this.#origin.archivedAs;
  }

  /** The body, with its content coding removed. A copy: what a step does to it changes neither the page nor the archive. */
  get bytes(): Uint8Array {
    return (this.#bytes ??= Uint8Array.from(this.#origin.source.body));
  }

  /** Length of the body in bytes, with its content coding removed. */
  get size(): number {
    return this.#origin.source.body.length;
  }

  /** SHA-256 of the body with its content coding removed, in lower-case hex. */
  get sha256(): string {
    return hash('sha256', this.#origin.source.body);
  }

  /** The name of the encoding that `source` was decoded from: that of the byte order mark, header or markup, or `utf-8`. */
  get encoding(): string {
    return this.#origin.decoded.encoding;
  }

  /** The body as text, as it was sent. */
  get source(): string {
    return this.#origin.decoded.text;
  }

  /**
   * The body as JSON, checked against a schema (zod, valibot, arktype: any Standard Schema) if one is given. Throws
   * `invalid_json` when it is no JSON, and a StructureError that lists what is wrong when it does not fit the schema.
   */
  json(): Json;
  json<Schema extends StandardSchema>(schema: Schema): StandardSchema.InferOutput<Schema>;
  json(schema?: StandardSchema): unknown {
    const value = parseJson(this.source, this.#origin);
    if (schema === undefined) return value;
    const result = validate(schema, value);
    if (result.kind === 'valid') return result.value;
    const issues = describeIssues(result.issues);
    throw new StructureError(this.#origin, {
      expected: 'JSON that fits its schema',
      actual: issues,
      summary: `The JSON does not fit its schema (${issues})`,
    });
  }
}
