// Something that can be started: the form it has, and the command line that a filled-in form means.

import type { FetchParams, Startable } from '../contract/start.ts';

export interface StartCommand {
  /** Of Curlew's command line. */
  readonly args: readonly string[];
  /** It begins no run: it says what a run would do. */
  readonly isDryRun: boolean;
}

export interface StartableDefinition extends Startable {
  /** The command that a filled-in form means, with `defaults` before what the form says. Throws for what does not fit. */
  commandFor(params: unknown, defaults: readonly string[]): StartCommand;
}

/** A JSON Schema, as a form is made of it. */
export type FormSchema = Startable['schema'];

export function objectSchema(properties: FormSchema, more: FormSchema = {}): FormSchema {
  return { type: 'object', properties, additionalProperties: false, ...more };
}

export const FETCH_SETTINGS_SCHEMA: FormSchema = objectSchema(
  {
    baseUrl: {
      type: 'string',
      format: 'uri',
      title: 'Base address',
      description: 'Instead of its own, to run it on a copy of the site.',
    },
    rate: {
      type: 'string',
      title: 'Rate',
      description: 'Requests per second to one host. A number, or off.',
      default: '1',
      pattern: '^(off|\\d+(\\.\\d+)?)$',
    },
    concurrency: {
      type: 'integer',
      title: 'Concurrency',
      description: 'Requests of one host in flight at once.',
      default: 8,
      minimum: 1,
      maximum: 1024,
    },
    robots: {
      type: 'string',
      title: 'When robots.txt cannot be had',
      description: 'allow: go on. strict: do not. off: do not ask for it.',
      enum: ['allow', 'strict', 'off'],
      default: 'allow',
    },
    allowHosts: {
      type: 'string',
      title: 'Private hosts to allow',
      description: 'As host or host:port, several with commas. Only for sites of your own network.',
    },
  },
  { title: 'Fetching' },
);

export function fetchArguments(settings: FetchParams = {}): string[] {
  const { baseUrl, allowHosts = '', rate, concurrency, robots } = settings;
  return [
    ...(baseUrl === undefined ? [] : [`--base-url=${baseUrl}`]),
    ...(rate === undefined ? [] : [`--rate=${rate}`]),
    ...(concurrency === undefined ? [] : [`--concurrency=${concurrency}`]),
    ...(robots === undefined ? [] : [`--robots=${robots}`]),
    ...allowHosts.split(/[\s,]+/).flatMap((host) => (host === '' ? [] : [`--allow-host=${host}`])),
  ];
}
