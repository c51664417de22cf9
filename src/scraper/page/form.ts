// A form of a page, filled in and sent the way a browser would: every hidden field goes along, and a field that the form
// does not have is an error, because it means that the page has changed.

import type { Element as ElementNode } from 'domhandler';
import type { FormSubmission } from '../request.ts';
import type { XPathNode } from '../xpath/xpath.ts';
import { isElement } from '../xpath/xpath-node.ts';
import { type Button, type Control, readControls } from './form-controls.ts';
import { encodeFields, type FormFields, sendableEncoding } from './form-encoding.ts';
import { isFetchable, type Origin } from './origin.ts';
import { encodingNamed } from './sniff-encoding.ts';
import { StructureError } from './structure-error.ts';

/** What a reader would type, by field name. Several values for fields that take several; none to send nothing. */
export type FormValues = Readonly<Record<string, string | readonly string[]>>;

/** How a form is submitted, beyond what is typed into it. */
export interface SubmitOptions {
  /** The button to click: its name, or what is written on it. Default: none, so no button's name is sent. */
  readonly button?: string;
  /** Send also values for fields that the form does not have. Default: false, they are an error. */
  readonly extra?: boolean;
}

/** A filled-in form, to be given to `get`: it decides the method. */
export interface FilledForm extends FormSubmission {
  /** The encoding that a browser would send it in: `utf-8` or a single-byte one. The query of a GET is written in it. */
  readonly encoding: string;
}

/** A form of a page: what it would send, and what it sends when it is filled in. */
export class Form {
  readonly #node: ElementNode;
  readonly #selector: string;
  readonly #origin: Origin;
  readonly #encoding: string;
  readonly #controls: readonly Control[];

  /** @internal Forms are made by `page.form`. */
  constructor(node: XPathNode, selector: string, origin: Origin) {
    if (!isElement(node) || node.name !== 'form') {
      const actual = isElement(node) ? `<${node.name}>` : node.type;
      throw new StructureError(origin, {
        selector,
        expected: 'a <form>',
        actual,
        summary: `\`${selector}\` matches ${actual}, which is no form,`,
      });
    }
    this.#node = node;
    this.#selector = selector;
    this.#origin = origin;
    this.#encoding = sendableEncoding(acceptedEncoding(node) ?? origin.decoded.encoding);
    this.#controls = readControls(node, origin.tree, this.#encoding);
  }

  /** Where it is sent, absolute. */
  get action(): string {
    return this.#resolve(this.#node.attribs.action);
  }

  get method(): 'GET' | 'POST' {
    return toMethod(this.#node.attribs.method);
  }

  /** The media type that the page asks for. Curlew sends `application/x-www-form-urlencoded` in any case. */
  get enctype(): string {
    return this.#node.attribs.enctype?.toLowerCase() ?? 'application/x-www-form-urlencoded';
  }

  /** Names and values that would be sent if nothing were filled in and no button clicked, in the order of the page. */
  get fields(): FormFields {
    return this.#entries({}, undefined);
  }

  /**
   * The form filled in with `values`, all other fields as they stand. A GET's fields replace the query of the action.
   *
   * @example
   * yield get(page.form('#search').submit({ name: 'Smith' }), this.parseResults);
   */
  submit(values: FormValues = {}, options: SubmitOptions = {}): FilledForm {
    const button = options.button === undefined ? undefined : this.#findButton(options.button);
    const strange = Object.keys(values).filter((name) => !this.#controls.some((control) => control.name === name));
    if (strange.length > 0 && options.extra !== true) throw this.#noSuchField(strange);
    const method = toMethod(button?.element.attribs.formmethod ?? this.#node.attribs.method);
    const action = button?.element.attribs.formaction;
    const url = action === undefined ? this.action : this.#resolve(action);
    const extra = strange.flatMap((name) => entriesOf(name, values[name]));
    const fields = [...this.#entries(values, button), ...extra];
    const common = { kind: 'submission', method, fields, encoding: this.#encoding } as const;
    return { ...common, url: method === 'GET' ? withQuery(url, encodeFields(fields, this.#encoding)) : url };
  }

  /** The first control of a name stands for all of that name when a value is given. */
  #entries(values: FormValues, clicked: Button | undefined): FormFields {
    const filled = new Set<string>();
    return this.#controls.flatMap((control) => {
      const { name } = control;
      if (name !== '' && Object.hasOwn(values, name)) {
        if (filled.has(name)) return [];
        filled.add(name);
        return entriesOf(name, values[name]);
      }
      if (control.kind === 'field') return entriesOf(name, control.values);
      return control === clicked ? clickOn(control) : [];
    });
  }

  #findButton(wanted: string): Button {
    const buttons = this.#controls.filter((control) => control.kind === 'button');
    const found = buttons.filter(({ name, caption }) => name === wanted || caption === wanted);
    const [button] = found;
    if (button !== undefined && found.length === 1) return button;
    const list = buttons.map(({ name, caption }) => `${JSON.stringify(caption)} (name ${JSON.stringify(name)})`);
    throw new StructureError(this.#origin, {
      selector: this.#selector,
      expected: `exactly 1 button ${wanted}`,
      actual: String(found.length),
      summary: `The form \`${this.#selector}\` has ${found.length} buttons named or labelled ${JSON.stringify(wanted)}`,
      hint: `Its buttons are: ${list.join(', ') || 'none'}.`,
    });
  }

  #noSuchField(names: readonly string[]): StructureError {
    const known = [...new Set(this.#controls.map(({ name }) => name).filter((name) => name !== ''))];
    return new StructureError(this.#origin, {
      selector: this.#selector,
      expected: `fields named ${names.join(', ')}`,
      actual: known.join(', '),
      summary: `The form \`${this.#selector}\` has no field named ${names.join(', ')}`,
      hint: `Its fields are: ${known.join(', ') || 'none'}. To send others too, give { extra: true }.`,
    });
  }

  // §4.10.21.3: an empty action is the page itself, whatever <base> says.
  #resolve(action = ''): string {
    const url = action === '' ? URL.parse(this.#origin.url) : URL.parse(action, this.#origin.baseUrl);
    if (url !== null && isFetchable(url.protocol)) return url.href;
    throw new StructureError(this.#origin, {
      selector: this.#selector,
      expected: 'an http or https address',
      actual: action,
      summary: `The form \`${this.#selector}\` is sent to ${JSON.stringify(action)}, which cannot be fetched,`,
      hint: 'A script of the page sends it. See in a browser what is sent, and write that with post(…).',
    });
  }
}

/** Line ends are sent as CRLF (§4.10.21.4). */
function entriesOf(name: string, values: string | readonly string[] = []): FormFields {
  return (typeof values === 'string' ? [values] : values).map((value) => [toCrlf(name), toCrlf(value)] as const);
}

function toCrlf(text: string): string {
  return text.replace(/\r\n?|\n/g, '\r\n');
}

function clickOn({ image, name, value }: Button): FormFields {
  if (!image) return name === '' ? [] : entriesOf(name, value);
  const prefix = name === '' ? '' : `${name}.`;
  return [...entriesOf(`${prefix}x`, '0'), ...entriesOf(`${prefix}y`, '0')];
}

function toMethod(written: string | undefined): 'GET' | 'POST' {
  return written?.toLowerCase() === 'post' ? 'POST' : 'GET';
}

function withQuery(address: string, query: string): string {
  const url = new URL(address);
  url.search = query;
  return url.href;
}

/** The first encoding of `accept-charset` that is known. */
function acceptedEncoding(form: ElementNode): string | undefined {
  const labels = form.attribs['accept-charset']?.trim().split(/[\s,]+/) ?? [];
  return labels.map(encodingNamed).find((encoding) => encoding !== undefined);
}
