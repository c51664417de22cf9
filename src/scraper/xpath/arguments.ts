// The arguments of a function call, converted to what the function takes (XPath 1.0 §3.2). Only a node-set cannot be
// converted to: that is an error in the expression.
import type { Compiled, CompiledNodes, Evaluate } from './compiled.ts';
import { toBooleanExpression, toNumberExpression, toStringExpression } from './convert.ts';

export class Arguments {
  readonly #args: readonly Compiled[];
  readonly #fail: (index: number, problem: string) => Error;

  /** `fail` makes the error for the argument at an index. The number of arguments has been checked. */
  constructor(args: readonly Compiled[], fail: (index: number, problem: string) => Error) {
    this.#args = args;
    this.#fail = fail;
  }

  get count(): number {
    return this.#args.length;
  }

  string(index: number): Evaluate<string> {
    return toStringExpression(this.#at(index));
  }

  number(index: number): Evaluate<number> {
    return toNumberExpression(this.#at(index));
  }

  boolean(index: number): Evaluate<boolean> {
    return toBooleanExpression(this.#at(index));
  }

  nodes(index: number): CompiledNodes {
    const argument = this.#at(index);
    if (argument.kind !== 'nodes') throw this.#fail(index, `expected nodes, found a ${argument.kind}`);
    return argument;
  }

  /** Whether the argument is a node-set, for functions that take anything. */
  isNodes(index: number): boolean {
    return this.#args[index]?.kind === 'nodes';
  }

  #at(index: number): Compiled {
    const argument = this.#args[index];
    if (argument === undefined) throw this.#fail(index, 'an argument is missing');
    return argument;
  }
}
