// A JSON Schema as the fields of a form. What has no field of its own is asked for as JSON: nothing a schema allows is out
// of reach.

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

interface FieldBasics {
  /** Names on the way from the top, joined by dots: unique in its form. */
  readonly key: string;
  readonly name: string;
  readonly label: string;
  readonly help: string | undefined;
  readonly required: boolean;
}

interface TextField extends FieldBasics {
  readonly kind: 'text';
  readonly input: 'text' | 'date' | 'url' | 'email';
  readonly initial: string;
  readonly minLength: number | undefined;
  readonly maxLength: number | undefined;
  readonly pattern: string | undefined;
}

interface NumberField extends FieldBasics {
  readonly kind: 'number';
  readonly initial: string;
  readonly whole: boolean;
  readonly min: number | undefined;
  readonly max: number | undefined;
}

interface FlagField extends FieldBasics {
  readonly kind: 'flag';
  readonly initial: boolean;
}

interface ChoiceField extends FieldBasics {
  readonly kind: 'choice';
  /** Index into `options`, as text; empty for none. */
  readonly initial: string;
  readonly options: readonly Json[];
}

/** One item a line. */
interface ListField extends FieldBasics {
  readonly kind: 'list';
  readonly initial: string;
  readonly numbers: boolean;
}

interface JsonField extends FieldBasics {
  readonly kind: 'json';
  readonly initial: string;
}

export interface GroupField extends FieldBasics {
  readonly kind: 'group';
  readonly fields: readonly FormField[];
}

export type FormField = TextField | NumberField | FlagField | ChoiceField | ListField | JsonField | GroupField;

/** The fields of a schema of an object, in its order. */
export function fieldsOf(schema: JsonObject): FormField[] {
  return objectFields(schema, schema, '');
}

function objectFields(schema: JsonObject, root: JsonObject, prefix: string): FormField[] {
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(objectAt(schema, 'properties')).flatMap(([name, property]) => {
    if (!isObject(property)) return [];
    const key = prefix === '' ? name : `${prefix}.${name}`;
    return [fieldOf(resolve(property, root), root, key, name, required.includes(name))];
  });
}

function fieldOf(schema: JsonObject, root: JsonObject, key: string, name: string, isRequired: boolean): FormField {
  const preset = schema.default;
  const basics = {
    key,
    name,
    label: textAt(schema, 'title') ?? labelOf(name),
    help: textAt(schema, 'description'),
    required: isRequired && preset === undefined,
  };
  if ('const' in schema) return choice(basics, [schema.const ?? null], 0);
  if (Array.isArray(schema.enum)) return choice(basics, schema.enum, schema.enum.indexOf(preset ?? null));
  switch (schema.type) {
    case 'boolean':
      return { ...basics, kind: 'flag', initial: preset === true };
    case 'integer':
    case 'number':
      return {
        ...basics,
        kind: 'number',
        initial: typeof preset === 'number' ? String(preset) : '',
        whole: schema.type === 'integer',
        min: limitAt(schema, 'minimum'),
        max: limitAt(schema, 'maximum'),
      };
    case 'string':
      return {
        ...basics,
        kind: 'text',
        input: INPUTS[textAt(schema, 'format') ?? ''] ?? 'text',
        initial: typeof preset === 'string' ? preset : '',
        minLength: numberAt(schema, 'minLength'),
        maxLength: numberAt(schema, 'maxLength'),
        pattern: textAt(schema, 'pattern'),
      };
    case 'array': {
      const items = resolve(objectAt(schema, 'items'), root);
      if (items.type !== 'string' && items.type !== 'number' && items.type !== 'integer') break;
      const lines = Array.isArray(preset) ? preset.map((item) => String(item)).join('\n') : '';
      return { ...basics, kind: 'list', initial: lines, numbers: items.type !== 'string' };
    }
    case 'object': {
      const fields = objectFields(schema, root, key);
      if (fields.length > 0) return { ...basics, kind: 'group', fields };
      break;
    }
  }
  return { ...basics, kind: 'json', initial: preset === undefined ? '' : JSON.stringify(preset, null, 2) };
}

const INPUTS: Readonly<Record<string, TextField['input'] | undefined>> = { date: 'date', uri: 'url', email: 'email' };

function choice(basics: FieldBasics, options: readonly Json[], at: number): ChoiceField {
  const only = basics.required && options.length === 1 ? 0 : at;
  return { ...basics, kind: 'choice', options, initial: only < 0 ? '' : String(only) };
}

/** Follows references within the schema, and takes what is left of a choice between something and null. */
function resolve(schema: JsonObject, root: JsonObject): JsonObject {
  const reference = textAt(schema, '$ref');
  const name = reference === undefined ? undefined : /^#\/\$defs\/([^/]+)$/.exec(reference)?.[1];
  if (name !== undefined) {
    const { $ref: _, ...rest } = schema;
    return { ...resolve(objectAt(objectAt(root, '$defs'), decodeURIComponent(name)), {}), ...rest };
  }
  const { anyOf, ...rest } = schema;
  if (!Array.isArray(anyOf)) return schema;
  const choices = anyOf.filter((option): option is JsonObject => isObject(option) && option.type !== 'null');
  if (choices.length === 1 && choices[0] !== undefined) return { ...resolve(choices[0], root), ...rest };
  return choices.every((option) => 'const' in option)
    ? { ...rest, enum: choices.map((option) => option.const ?? null) }
    : schema;
}

/** `highestObserved` as `Highest observed`. */
function labelOf(name: string): string {
  const words = name.replace(
    /([a-z\d])([A-Z])/g,
    (_, before: string, after: string) => `${before} ${after.toLowerCase()}`,
  );
  const spaced = words.replaceAll(/[_-]+/g, ' ');
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}

/** zod gives whole numbers the limits of safe integers: those say nothing to a person. */
function limitAt(schema: JsonObject, name: string): number | undefined {
  const limit = numberAt(schema, name);
  return limit === undefined || Math.abs(limit) === Number.MAX_SAFE_INTEGER ? undefined : limit;
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function objectAt(schema: JsonObject, name: string): JsonObject {
  const value = schema[name];
  return isObject(value) ? value : {};
}

function textAt(schema: JsonObject, name: string): string | undefined {
  const value = schema[name];
  return typeof value === 'string' ? value : undefined;
}

function numberAt(schema: JsonObject, name: string): number | undefined {
  const value = schema[name];
  return typeof value === 'number' ? value : undefined;
}
