import { record } from './metadata.js';

/** A class that has the method that is settled. */
type Settles<Method extends string> = Readonly<Record<Method, (...args: never[]) => unknown>>;

/** The shape of a reconciliation. The parameters, if declared, are the tool's input and the `InterruptedCall`. */
type ReconcileMethod = (input: never, call: never) => unknown;

/** Accepts a method of a class that has the method to settle; as standard and as legacy decorator. */
export interface ReconcileDecorator<Method extends string> {
  <This extends Settles<Method>>(method: ReconcileMethod, context: ClassMethodDecoratorContext<This>): void;
  <Found extends ReconcileMethod>(
    owner: Settles<Method>,
    name: string,
    descriptor: TypedPropertyDescriptor<Found>,
  ): void;
}

/**
 * Declares the method that answers "did it take effect?" after a call whose outcome is not known.
 *
 * On a method of a tool class it settles the tool of the named method (`execute` for `@Tool` on the class); the name may be
 * left out where the class declares one tool. On a method of an agent, without a name, it settles what no tool settles.
 *
 * `DefinitionError` when the runtime opens, if it names no tool, names one that is read only (that one is never asked), is
 * not the only one for its tool, or stands on a static, private, symbol-named or accessor member.
 *
 * @param method the name of the method, not of the tool. Default: the class's only tool
 */
export function Reconcile(): ReconcileDecorator<never>;
export function Reconcile<Method extends string>(method: Method): ReconcileDecorator<Method>;
export function Reconcile(method?: string): ReconcileDecorator<never> {
  return (...decorated: readonly unknown[]) => record('reconcile', { method }, decorated);
}
