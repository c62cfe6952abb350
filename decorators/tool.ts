import { record } from './metadata.js';

/**
 * What a tool declares besides `readOnly`. Every part has a default.
 *
 * A wrong option (an unknown key, a name or a time out of range) throws `DefinitionError` when the runtime opens.
 */
export interface ToolOptions<ReadOnly extends boolean = boolean, Input = never> {
  /**
   * What the agent calls it and the record keeps: 1 to 64 of `A-Z a-z 0-9 _ -`, unique within an agent.
   *
   * Default: the method's name, or the class's without a trailing `Tool`, in snake_case. Give it where a bundler renames
   * classes: a run that pauses under one name cannot continue under another.
   */
  readonly name?: string;

  /** What it does, for the agent and for the person who approves a call. Default: empty. */
  readonly description?: string;

  /**
   * The class of its arguments, checked by class-validator and made with `new`, so without constructor parameters.
   *
   * Default: the type of the first parameter, where TypeScript emits it (`experimentalDecorators` with
   * `emitDecoratorMetadata`): that of a decorated method; for `@Tool` on a class, that of its `@Reconcile` method.
   * `DefinitionError` if there is neither.
   */
  readonly input?: new () => Input;

  /**
   * What a call may change: this machine (`local`), a system elsewhere (`remote`), or something that cannot be undone
   * (`destructive`). Default: `remote`. A tool that is read only has no effect; naming one is an error.
   */
  readonly effect?: ReadOnly extends true ? never : 'local' | 'remote' | 'destructive';

  /** After how many milliseconds a call counts as timed out: 1 to 2147483647. Default: 60000. */
  readonly timeoutMs?: number;

  /** Whether a success completes the run with the tool's result. Default: false. */
  readonly terminal?: boolean;
}

/** The shape of a tool's method. The second parameter, if declared, is the `ToolCall`. */
type ToolMethod<Input> = (input: Input, call: never) => unknown;

/** A class that is one tool. */
type ToolClass<Input> = abstract new (...args: never[]) => { readonly execute: ToolMethod<Input> };

/** Accepts a class with `execute`, or a method, whose first parameter takes the input; as standard and as legacy decorator. */
export interface ToolDecorator<Input> {
  <Cls extends ToolClass<Input>>(cls: Cls, context?: ClassDecoratorContext<Cls>): void;
  <This>(method: ToolMethod<Input>, context: ClassMethodDecoratorContext<This>): void;
  <Method extends ToolMethod<Input>>(owner: object, name: string, descriptor: TypedPropertyDescriptor<Method>): void;
}

/**
 * Declares a tool: an action that an agent may ask for.
 *
 * On a class with `execute(input, call)` it declares one tool; on methods it declares one tool a method. The class is not
 * changed: `new ChargeCard(fake).execute(input, call)` in a unit test needs no runtime. A subclass has its parent's tools;
 * a method that it overrides runs under the parent's declaration unless it is decorated anew.
 *
 * `DefinitionError` when the runtime opens, if it stands on a class and on methods of it at once, on a class without
 * `execute`, on a static, private, symbol-named or accessor member, or twice on one member.
 *
 * @param readOnly whether a call changes nothing anywhere, so that it may be repeated after a crash. This is trusted
 */
export function Tool<ReadOnly extends boolean, Input = never>(
  readOnly: ReadOnly,
  options?: ToolOptions<ReadOnly, Input>,
): ToolDecorator<Input> {
  return (...decorated: readonly unknown[]) => record('tool', { readOnly, options }, decorated);
}
