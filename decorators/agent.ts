import { record } from './metadata.js';

/** What an agent declares. A wrong or unknown part throws `DefinitionError` when the runtime opens. */
export interface AgentOptions {
  /** What runs record and clients start it by: 1 to 64 of `A-Z a-z 0-9 _ -`, unique within a runtime. */
  readonly name: string;

  /** What it is for. Default: empty. */
  readonly description?: string;

  /** The classes whose tools it may ask for: each with `@Tool` on itself or on methods. May be empty. */
  readonly tools: readonly (abstract new (...args: never[]) => object)[];
}

/** A class that decides. The parameter, if declared, is the `StepInput`. */
type AgentClass = abstract new (...args: never[]) => { readonly decide: (step: never) => unknown };

/** Accepts a class with `decide`; as standard and as legacy decorator. */
export type AgentDecorator = <Cls extends AgentClass>(cls: Cls, context?: ClassDecoratorContext<Cls>) => void;

/**
 * Declares an agent: a class whose `decide(step)` says what to do next.
 *
 * The class is not changed. A subclass without its own `@Agent` has its parent's.
 *
 * `DefinitionError` when the runtime opens, if `decide` is not a method of the class, a name is taken twice, or a class in
 * `tools` declares none.
 */
export function Agent(options: AgentOptions): AgentDecorator {
  return (...decorated: readonly unknown[]) => record('agent', { options }, decorated);
}
