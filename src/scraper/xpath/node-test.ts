// Node tests (XPath 1.0 §2.3) as predicates. An HTML tree has no namespaces: `svg:rect` is compared as it is written.
import { ElementType } from 'htmlparser2';
import { assertNever } from '../../platform/errors.ts';
import type { NodeTest } from './ast.ts';
import type { Test } from './tree-walk.ts';
import { isElement, isProcessingInstruction, isText, targetOf } from './xpath-node.ts';

const { Comment, Directive } = ElementType;

/** The test as a function. `principal` is the axis's principal node type: what `*` and names stand for (§2.3). */
export function compileNodeTest(test: NodeTest, principal: 'element' | 'attribute'): Test {
  switch (test.kind) {
    case 'node':
      // The doctype is no node of the data model.
      return (node) => node.type !== Directive || isProcessingInstruction(node);
    case 'text':
      return isText;
    case 'comment':
      return (node) => node.type === Comment;
    case 'processing-instruction': {
      const { target } = test;
      return (node) => isProcessingInstruction(node) && (target === undefined || targetOf(node) === target);
    }
    case 'any-name':
      return principal === 'element' ? isElement : (node) => node.type === 'attribute';
    case 'prefix': {
      const { prefix } = test;
      return principal === 'element'
        ? (node) => isElement(node) && node.name.startsWith(prefix)
        : (node) => node.type === 'attribute' && node.name.startsWith(prefix);
    }
    case 'name': {
      const { name } = test;
      return principal === 'element'
        ? (node) => isElement(node) && node.name === name
        : (node) => node.type === 'attribute' && node.name === name;
    }
    default:
      return assertNever(test);
  }
}
