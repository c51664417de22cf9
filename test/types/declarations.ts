// Reads the declarations that the compiler writes (`.d.ts`), as text: what an entry point exports, where each of it is
// declared, whether it is explained, and which other types of ours its declaration names.

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export interface Declaration {
  /** File, without extension, and name in it: two exports of one thing are one. */
  readonly id: string;
  /** Whether a doc comment stands before it (of overloads, and of a type beside a value of its name: before any). */
  readonly documented: boolean;
  /** Ids of the types of ours that it names. */
  readonly names: readonly string[];
}

interface DeclarationFile {
  /** What it declares: the text of each, comment included. */
  readonly declared: ReadonlyMap<string, string>;
  /** What it takes from other files of ours, by its name here. */
  readonly imported: ReadonlyMap<string, string>;
  /** What it hands on, by the name it has outside. */
  readonly exported: ReadonlyMap<string, string>;
}

/** Declarations below `root`, each file read once. */
export class Declarations {
  readonly #root: string;
  readonly #files = new Map<string, DeclarationFile>();

  constructor(root: string) {
    this.#root = root;
  }

  /** Everything that `entry` exports, by its public name. */
  exportsOf(entry: string): Map<string, Declaration> {
    return new Map([...this.#file(entry).exported].map(([name, id]) => [name, this.#declaration(id)]));
  }

  #declaration(id: string): Declaration {
    const [path = '', name = ''] = id.split('#');
    const { declared, imported } = this.#file(path);
    const text = declared.get(name);
    if (text === undefined) throw new Error(`${path} does not declare ${name}.`);
    // What is taken from a value or a member is resolved by the compiler: nobody needs its name.
    const named = withoutComments(text).replaceAll(/\btypeof \w+|\w+\['\w+'\]/g, '');
    const words = new Set(named.match(/\b[A-Z]\w*/g));
    const local = [...declared.keys()].filter((other) => other !== name && words.has(other));
    const foreign = [...imported].filter(([other]) => words.has(other)).map(([, from]) => this.#origin(from));
    return {
      id,
      documented: /^\/\*\*/m.test(text),
      names: [...local.map((other) => `${path}#${other}`), ...foreign],
    };
  }

  /** Where something is declared that may only be handed on there. */
  #origin(id: string): string {
    const [path = '', name = ''] = id.split('#');
    const from = this.#file(path).exported.get(name);
    return from === undefined || from === id ? id : this.#origin(from);
  }

  #file(path: string): DeclarationFile {
    const known = this.#files.get(path);
    if (known !== undefined) return known;
    const file = this.#read(path);
    this.#files.set(path, file);
    return file;
  }

  #read(path: string): DeclarationFile {
    const declared = new Map<string, string>();
    const imported = new Map<string, string>();
    const exported = new Map<string, string>();
    const place = (from: string) => join(dirname(path), from.replace(/\.(ts|js)$/, ''));
    for (const text of statementsOf(readFileSync(join(this.#root, `${path}.d.ts`), 'utf8'))) {
      const statement = withoutComments(text).trim();
      const list = /^(import|export)(?: type)? \{(.*)\} from '(\.[^']*)'/s.exec(statement);
      if (list !== null) {
        for (const { name, as } of namesIn(list[2] ?? '')) {
          const id = `${place(list[3] ?? '')}#${name}`;
          if (list[1] === 'import') imported.set(as, id);
          else exported.set(as, this.#origin(id));
        }
        continue;
      }
      const name =
        /^(?:export )?(?:declare )?(?:abstract )?(?:class|function|const|interface|type|namespace) (\w+)/.exec(
          statement,
        )?.[1];
      if (name === undefined) continue;
      declared.set(name, (declared.get(name) ?? '') + text);
      if (statement.startsWith('export')) exported.set(name, `${path}#${name}`);
    }
    return { declared, imported, exported };
  }
}

/** Statements at the top of a file begin in the first column, as do the comments before them. */
function statementsOf(text: string): string[] {
  return text.split(/^(?=\/\*\*|(?<!\*\/\n)(?:import|export|declare|interface|type|class) )/m);
}

function namesIn(list: string): { readonly name: string; readonly as: string }[] {
  return list
    .split(',')
    .map((item) => item.trim().replace(/^type /, ''))
    .filter((item) => item !== '')
    .map((item) => {
      const [name = '', as = name] = item.split(' as ');
      return { name, as };
    });
}

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*.*?\*\//gs, '');
}
