// The controls of a form and what a browser would send for them: "constructing the entry list", HTML standard §4.10.21.4,
// before a reader has touched anything. File inputs are left out.

import type { Element } from 'domhandler';
import { countSiblings } from '../css/sibling-index.ts';
import { stringValue } from '../xpath/xpath.ts';
import { isElement } from '../xpath/xpath-node.ts';
import { normaliseText } from './normalise-text.ts';
import type { Tree } from './parse-tree.ts';
import { compileSelector } from './selector.ts';
import { visibleText } from './visible-text.ts';

/** A control that holds a value. One that would not be sent as it stands (unchecked, disabled) has no values. */
interface Field {
  readonly kind: 'field';
  readonly name: string;
  readonly values: readonly string[];
}

/** A control that sends the form. */
export interface Button {
  readonly kind: 'button';
  /** May be empty. */
  readonly name: string;
  readonly value: string;
  /** What is written on it. */
  readonly caption: string;
  /** Sends the place of the click instead of its value. */
  readonly image: boolean;
  readonly element: Element;
}

export type Control = Field | Button;

/** The controls that belong to `form`, in tree order. */
export function readControls(form: Element, tree: Tree, encoding: string): readonly Control[] {
  const owned = elementsIn(tree.document, 'input, select, textarea, button').filter((control) =>
    belongsTo(control, form, tree),
  );
  const checkedRadios = new Map<string, Element>();
  for (const control of owned) if (isCheckedRadio(control)) checkedRadios.set(nameOf(control), control);
  return owned.flatMap((control): readonly Control[] => {
    const button = readButton(control);
    if (button !== undefined) return isDisabled(control) ? [] : [button];
    // Of several checked radio buttons of one name, the last one wins.
    const outdone = isCheckedRadio(control) && checkedRadios.get(nameOf(control)) !== control;
    const values = outdone || isDisabled(control) ? [] : valuesOf(control, encoding);
    return isField(control) ? [{ kind: 'field', name: nameOf(control), values }] : [];
  });
}

function elementsIn(top: Tree['document'] | Element, selector: string): Element[] {
  return compileSelector(selector, false).select(top).filter(isElement);
}

function belongsTo(control: Element, form: Element, { strayControls }: Tree): boolean {
  const named = control.attribs.form;
  if (named !== undefined) return named !== '' && named === form.attribs.id;
  return (ancestor(control, 'form') ?? strayControls.get(control)) === form;
}

/** Named, not a file or a mere button, and no suggestion of a datalist. */
function isField(control: Element): boolean {
  if (nameOf(control) === '' || ancestor(control, 'datalist') !== undefined) return false;
  return control.name !== 'button' && !['button', 'file', 'reset'].includes(typeOf(control));
}

function valuesOf(control: Element, encoding: string): readonly string[] {
  if (control.name === 'select') return selectedValues(control);
  if (control.name === 'textarea') return [stringValue(control).replace(/^\r?\n/, '')];
  const { value } = control.attribs;
  switch (typeOf(control)) {
    case 'checkbox':
    case 'radio':
      return control.attribs.checked === undefined ? [] : [value ?? 'on'];
    case 'hidden':
      return [nameOf(control) === '_charset_' ? encoding : (value ?? '')];
    case 'email':
    case 'url':
      return [(value ?? '').replace(/[\r\n]/g, '').trim()];
    default:
      return [(value ?? '').replace(/[\r\n]/g, '')];
  }
}

// HTML standard §4.10.7: a drop-down always has a choice, the first one that is not disabled; of several the last wins.
function selectedValues(select: Element): readonly string[] {
  const options = elementsIn(select, 'option');
  const chosen = options.filter((option) => option.attribs.selected !== undefined);
  const multiple = select.attribs.multiple !== undefined;
  const dropDown = !multiple && !(Number.parseInt(select.attribs.size ?? '', 10) > 1);
  if (chosen.length === 0 && dropDown)
    chosen.push(...options.filter((option) => !isDisabledOption(option)).slice(0, 1));
  return (multiple ? chosen : chosen.slice(-1))
    .filter((option) => !isDisabledOption(option))
    .map(
      (option) =>
        option.attribs.value ??
        stringValue(option)
          .replace(/[\t\n\f\r ]+/g, ' ')
          .trim(),
    );
}

function isDisabledOption(option: Element): boolean {
  return option.attribs.disabled !== undefined || ancestor(option, 'optgroup')?.attribs.disabled !== undefined;
}

function readButton(control: Element): Button | undefined {
  const { value = '', alt = '' } = control.attribs;
  const common = { kind: 'button', name: nameOf(control), value, element: control } as const;
  const type = typeOf(control);
  if (control.name === 'button') {
    if (type === 'button' || type === 'reset') return undefined;
    return { ...common, caption: visibleText(control, false), image: false };
  }
  if (control.name !== 'input') return undefined;
  if (type === 'submit') return { ...common, caption: normaliseText(value), image: false };
  return type === 'image' ? { ...common, caption: normaliseText(alt), image: true } : undefined;
}

// §4.10.19.5: by itself, or by a fieldset around it, unless it stands in that fieldset's first legend.
function isDisabled(control: Element): boolean {
  if (control.attribs.disabled !== undefined) return true;
  let inside = control;
  for (let outer = control.parent; outer !== null && isElement(outer); outer = outer.parent) {
    if (outer.name === 'fieldset' && outer.attribs.disabled !== undefined) {
      if (inside.name !== 'legend' || !isFirstLegend(inside)) return true;
    }
    inside = outer;
  }
  return false;
}

/** Only asked of a legend: a fieldset may have a hundred thousand controls and none. */
function isFirstLegend(legend: Element): boolean {
  return countSiblings(legend, 'prev', true) === 0;
}

function isCheckedRadio(control: Element): boolean {
  return control.name === 'input' && typeOf(control) === 'radio' && control.attribs.checked !== undefined;
}

function nameOf(control: Element): string {
  return control.attribs.name ?? '';
}

function typeOf(control: Element): string {
  return control.attribs.type?.toLowerCase() ?? '';
}

function ancestor(node: Element, name: string): Element | undefined {
  for (let outer = node.parent; outer !== null && isElement(outer); outer = outer.parent) {
    if (outer.name === name) return outer;
  }
  return undefined;
}
