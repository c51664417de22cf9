// What the parser hands to the compiler: XPath 1.0 §2–3 with every abbreviation written out. `at` is the index in the
// expression, for messages.

export type AxisName =
  | 'ancestor'
  | 'ancestor-or-self'
  | 'attribute'
  | 'child'
  | 'descendant'
  | 'descendant-or-self'
  | 'following'
  | 'following-sibling'
  | 'namespace'
  | 'parent'
  | 'preceding'
  | 'preceding-sibling'
  | 'self';

export type NodeTest =
  | { readonly kind: 'node' }
  | { readonly kind: 'text' }
  | { readonly kind: 'comment' }
  | { readonly kind: 'processing-instruction'; readonly target?: string }
  | { readonly kind: 'any-name' }
  | { readonly kind: 'prefix'; readonly prefix: string }
  | { readonly kind: 'name'; readonly name: string };

export interface Step {
  readonly axis: AxisName;
  readonly test: NodeTest;
  readonly predicates: readonly Expression[];
}

export type Relation = '<' | '<=' | '>' | '>=';
export type Equality = '=' | '!=';
export type Arithmetic = '+' | '-' | '*' | 'div' | 'mod';
export type BinaryOperator = 'or' | 'and' | Equality | Relation | Arithmetic;

export type Expression = { readonly at: number } & (
  | { readonly kind: 'literal'; readonly value: string }
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'call'; readonly name: string; readonly args: readonly Expression[] }
  | { readonly kind: 'negate'; readonly operand: Expression }
  | {
      readonly kind: 'binary';
      readonly operator: BinaryOperator;
      readonly left: Expression;
      readonly right: Expression;
    }
  | { readonly kind: 'union'; readonly operands: readonly Expression[] }
  | { readonly kind: 'filter'; readonly base: Expression; readonly predicates: readonly Expression[] }
  | { readonly kind: 'path'; readonly from: 'context' | 'root' | Expression; readonly steps: readonly Step[] }
);
