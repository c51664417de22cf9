// The border for faults that come as JSON over the control endpoint. What passes is a Fault; what does not is an
// error that names the field. A regular expression comes as `pattern`, since JSON has none.

import { CurlewError, ErrorCode } from '../src/platform/errors.ts';
import type { Fault, FaultScope } from './fault.ts';

type Fields = Readonly<Record<string, unknown>>;

export function parseFault(value: unknown): Fault {
  const fields = fieldsOf(value, 'a fault');
  switch (fields.kind) {
    case 'status':
      return {
        kind: 'status',
        status: number(fields, 'status', 200, 599) ?? missing('status'),
        ...parseScope(fields),
        ...optional('headers', headersOf(fields)),
        ...optional('body', text(fields, 'body')),
      };
    case 'reset':
      return { kind: 'reset', ...parseScope(fields), ...optional('afterBytes', number(fields, 'afterBytes', 0)) };
    case 'slow': {
      const bytesPerSecond = number(fields, 'bytesPerSecond', 1) ?? missing('bytesPerSecond');
      return { kind: 'slow', bytesPerSecond, ...parseScope(fields) };
    }
    case 'silent':
      return { kind: 'silent', ...parseScope(fields) };
    case 'truncate':
      return {
        kind: 'truncate',
        ...parseScope(fields),
        ...optional('missingBytes', number(fields, 'missingBytes', 1)),
      };
    case 'latency':
      return { kind: 'latency', ms: number(fields, 'ms', 0) ?? missing('ms'), ...parseScope(fields) };
    case 'hold':
      return { kind: 'hold', ...parseScope(fields) };
    case 'quirk':
      return { kind: 'quirk', name: text(fields, 'name') ?? missing('name'), ...parseScope(fields) };
    case 'down':
      if (fields.how !== 'reset' && fields.how !== 'refuse') return invalid('how', '"reset" or "refuse"');
      return { kind: 'down', how: fields.how, ...optional('forMs', number(fields, 'forMs', 0)) };
    default:
      return invalid('kind', 'one of status, reset, slow, silent, truncate, latency, hold, quirk, down');
  }
}

/** Which requests a fault is for, out of the fields that every fault may have. */
export function parseScope(value: unknown): FaultScope {
  const fields = fieldsOf(value, 'a fault');
  const pattern = text(fields, 'pattern');
  return {
    ...optional('path', pattern === undefined ? text(fields, 'path') : expression(pattern)),
    ...optional('method', text(fields, 'method')),
    ...optional('token', text(fields, 'token')),
    ...optional('after', number(fields, 'after', 0)),
    ...optional('count', number(fields, 'count', 1)),
    ...optional('rate', number(fields, 'rate', 0, 1)),
    ...optional('forMs', number(fields, 'forMs', 0)),
  };
}

function expression(source: string): RegExp {
  try {
    return new RegExp(source);
  } catch {
    return invalid('pattern', 'a regular expression');
  }
}

function number(fields: Fields, name: string, least: number, most = Number.MAX_SAFE_INTEGER): number | undefined {
  const value = fields[name];
  if (value === undefined) return undefined;
  if (typeof value === 'number' && value >= least && value <= most) return value;
  return invalid(name, `a number from ${least} to ${most}`);
}

function text(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  return value === undefined || typeof value === 'string' ? value : invalid(name, 'a string');
}

function headersOf(fields: Fields): Readonly<Record<string, string>> | undefined {
  if (fields.headers === undefined) return undefined;
  const headers = fieldsOf(fields.headers, 'headers');
  return Object.fromEntries(Object.keys(headers).map((name) => [name, text(headers, name) ?? '']));
}

function fieldsOf(value: unknown, what: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return invalid(what, 'a JSON object');
  return { ...value };
}

/** exactOptionalPropertyTypes: an absent field is left out rather than undefined. */
function optional<Name extends string, Value>(name: Name, value: Value | undefined): { [Key in Name]?: Value } {
  return value === undefined ? {} : ({ [name]: value } as { [Key in Name]?: Value });
}

function missing(name: string): never {
  throw new CurlewError(ErrorCode.usage, `The fault lacks "${name}".`, { remedy: 'See sim/README.md for its fields.' });
}

function invalid(name: string, expected: string): never {
  const message = `Not a fault: ${name} should be ${expected}.`;
  throw new CurlewError(ErrorCode.usage, message, { remedy: 'See sim/README.md for the fields of each kind.' });
}
