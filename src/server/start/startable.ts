// Something that can be started: the form it has, and the command line that a filled-in form means.

import type { FetchParams, Startable } from '../contract/start.ts';

export interface StartCommand {
  /** Of Curlew's command line. */
  readonly args: readonly string[];
  /** It begins no run: it says what a run would do. */
  readonly isDryRun: boolean;
}

/** Whether somebody works on it is looked up when it is asked for. */
export interface StartableDefinition extends Omit<Startable, 'busy'> {
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

/** Names that stand for no host (RFC 2606): a scraper of such a site is an example, to be run on another. */
const NO_HOST = /(^|\.)(example|test|invalid|example\.(com|net|org))$/;
/** This machine, which is asked only if it is allowed by name. */
const THIS_MACHINE = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/**
 * The settings of something with that address. Where the address is only an example, another one must be given; where it is
 * on this machine, it is filled in as allowed.
 */
export function fetchSettingsSchema(baseUrl: string): { readonly settings: FormSchema; readonly required: string[] } {
  const { hostname, host } = URL.parse(baseUrl) ?? { hostname: '', host: '' };
  const properties = FETCH_SETTINGS_SCHEMA.properties as Readonly<Record<'baseUrl' | 'allowHosts', FormSchema>>;
  if (NO_HOST.test(hostname)) {
    const description = `${hostname} is only an example. Give the address of a site like it: curlew court starts one.`;
    const changed = { ...properties, baseUrl: { ...properties.baseUrl, description } };
    const settings = { ...FETCH_SETTINGS_SCHEMA, properties: changed, required: ['baseUrl'] };
    return { settings, required: ['settings'] };
  }
  if (!THIS_MACHINE.test(hostname)) return { settings: FETCH_SETTINGS_SCHEMA, required: [] };
  const allowHosts = { ...properties.allowHosts, default: host };
  const description = `Its own is ${baseUrl}, on this machine: that site must be running. curlew court starts a simulated one.`;
  const changed = { ...properties, allowHosts, baseUrl: { ...properties.baseUrl, description } };
  return { settings: { ...FETCH_SETTINGS_SCHEMA, properties: changed }, required: ['settings'] };
}

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
