// A form made of fields. What is wrong with a field is said beside it and tied to it.

import type { FormField, GroupField } from '../lib/form-field.ts';
import { formatJson } from '../lib/format.ts';
import type { FormValues } from '../lib/read-form.ts';

export interface FormProps {
  readonly fields: readonly FormField[];
  readonly values: FormValues;
  readonly errors: Readonly<Record<string, string>>;
  readonly change: (key: string, value: string | boolean) => void;
}

export function SchemaFields({ fields, ...rest }: FormProps) {
  return (
    <>
      {fields.map((field) =>
        field.kind === 'group' ? (
          <Group key={field.key} field={field} {...rest} />
        ) : (
          <Field key={field.key} field={field} {...rest} />
        ),
      )}
    </>
  );
}

function Group({ field, ...rest }: { readonly field: GroupField } & Omit<FormProps, 'fields'>) {
  return (
    <fieldset>
      <legend>{field.label}</legend>
      {field.help !== undefined && <p class="field-help">{field.help}</p>}
      <SchemaFields fields={field.fields} {...rest} />
    </fieldset>
  );
}

interface FieldProps extends Omit<FormProps, 'fields'> {
  readonly field: Exclude<FormField, GroupField>;
}

/** The id of the input of a field, to move the focus to. */
export function inputId(key: string): string {
  return `field-${key}`;
}

function Field({ field, values, errors, change }: FieldProps) {
  const id = inputId(field.key);
  const error = errors[field.key];
  const described = [field.help !== undefined && `${id}-help`, error !== undefined && `${id}-error`].filter(Boolean);
  const common = {
    id,
    name: field.key,
    'aria-invalid': error !== undefined,
    'aria-describedby': described.length === 0 ? undefined : described.join(' '),
    'aria-required': field.required,
  };
  const isFlag = field.kind === 'flag';
  return (
    <div class={isFlag ? 'field field-flag' : 'field'}>
      {isFlag && (
        <input
          {...common}
          type="checkbox"
          checked={values[field.key] === true}
          onChange={(event) => change(field.key, event.currentTarget.checked)}
        />
      )}
      <label class="field-label" for={id}>
        {field.label}
        {field.required && <span class="needed"> needed</span>}
      </label>
      {!isFlag && <Input field={field} common={common} value={String(values[field.key] ?? '')} change={change} />}
      {field.help !== undefined && (
        <p class="field-help" id={`${id}-help`}>
          {field.help}
        </p>
      )}
      {error !== undefined && (
        <p class="field-error" id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  );
}

interface InputProps {
  readonly field: Exclude<FormField, GroupField>;
  readonly common: { readonly id: string };
  readonly value: string;
  readonly change: FormProps['change'];
}

function Input({ field, common, value, change }: InputProps) {
  const onInput = (event: { readonly currentTarget: { readonly value: string } }) =>
    change(field.key, event.currentTarget.value);
  switch (field.kind) {
    case 'flag':
      return null;
    case 'choice':
      return (
        <select {...common} value={value} onChange={onInput}>
          {!field.required && field.initial === '' && <option value="">–</option>}
          {field.options.map((option, at) => (
            <option key={formatJson(option)} value={String(at)} selected={String(at) === value}>
              {formatJson(option)}
            </option>
          ))}
        </select>
      );
    case 'number':
      return (
        <input
          {...common}
          type="number"
          inputMode={field.whole ? 'numeric' : 'decimal'}
          step={field.whole ? 1 : 'any'}
          min={field.min}
          max={field.max}
          value={value}
          onInput={onInput}
        />
      );
    case 'text':
      if (field.input === 'date') return <input {...common} type="date" value={value} onInput={onInput} />;
      return (
        <input
          {...common}
          type="text"
          inputMode={field.input}
          maxLength={field.maxLength}
          value={value}
          onInput={onInput}
        />
      );
    case 'list':
      return <textarea {...common} rows={3} placeholder="one a line" value={value} onInput={onInput} />;
    case 'json':
      return <textarea {...common} rows={4} class="code" placeholder="JSON" value={value} onInput={onInput} />;
  }
}
