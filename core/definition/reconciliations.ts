import { declarationsOf, type Declaration } from '../../decorators/metadata.js';
import { DefinitionError } from '../errors.js';
import { suggestion } from './closest.js';
import type { Class } from './definition.js';
import { methodOf, refuseTwice } from './members.js';
import { shown } from './options.js';
import { nameOf } from './shape.js';

/** What a reconciliation needs to know of the tools beside it. */
interface Settleable {
  readonly method: string;
  readonly readOnly: boolean;
}

/**
 * Which method settles which tool of a class: by the tool's method.
 *
 * @throws DefinitionError naming the class and what to write
 */
export function reconciliationsOf(cls: Class, tools: readonly Settleable[]): ReadonlyMap<string, string> {
  const settledBy = new Map<string, string>();
  const declarations = declarationsOf(cls, 'reconcile');
  refuseTwice(cls, declarations);
  for (const declaration of declarations) {
    const method = methodOf(cls, declaration);
    const where = `${nameOf(cls)}.${method}`;
    if (tools.some((tool) => tool.method === method))
      throw new DefinitionError(`${where} has both @Tool and @Reconcile; keep one`);
    const tool = settledTool(where, declaration, tools);
    if (tool.readOnly) {
      throw new DefinitionError(
        `${where}: @Reconcile for ${tool.method}, which is read only: it is repeated, never reconciled; remove @Reconcile`,
      );
    }
    const before = settledBy.get(tool.method);
    if (before !== undefined) {
      throw new DefinitionError(`${nameOf(cls)}: ${before} and ${method} both reconcile ${tool.method}; keep one`);
    }
    settledBy.set(tool.method, method);
  }
  return settledBy;
}

/** The method of an agent that settles what no tool settles. */
export function agentReconciliationOf(cls: Class): string | null {
  const [first, second] = declarationsOf(cls, 'reconcile');
  if (!first) return null;
  const method = methodOf(cls, first);
  if (first.given.method !== undefined) {
    throw new DefinitionError(
      `${nameOf(cls)}.${method}: an agent reconciles what no tool reconciles, so write @Reconcile() without a name`,
    );
  }
  if (second) throw new DefinitionError(`${nameOf(cls)} has more than one @Reconcile; an agent has at most one`);
  return method;
}

function settledTool(where: string, { given }: Declaration<'reconcile'>, tools: readonly Settleable[]): Settleable {
  const methods = tools.map((tool) => tool.method);
  const [only] = tools;
  if (given.method === undefined) {
    if (only && tools.length === 1) return only;
    throw new DefinitionError(`${where}: say which tool it settles: @Reconcile('…') with one of ${methods.join(', ')}`);
  }
  const found = tools.find((tool) => tool.method === given.method);
  if (found) return found;
  const hint = typeof given.method === 'string' ? suggestion(given.method, methods) : '';
  throw new DefinitionError(
    `${where}: @Reconcile(${shown(given.method)}) names no tool of its class${hint || `; name a method: ${methods.join(', ')}`}`,
  );
}
