import { IsInt, IsString } from 'class-validator';
import { Agent, Tool, type Class, type StepInput, type ToolCall, type ToolOptions } from 'holdpoint';

/** The input of the tools that tests make. */
export class NoteInput {
  @IsString()
  text!: string;

  @IsInt()
  times = 1;
}

/** What a tool of a test does; it may also hang, throw or look at its call. */
export type Act = (input: NoteInput, call: ToolCall) => unknown;

/** A tool class around a function. */
export function toolClass(readOnly: boolean, options: ToolOptions & { name: string }, act: Act): Class {
  @Tool(readOnly, { input: NoteInput, ...options } as ToolOptions)
  class TestTool {
    execute(input: NoteInput, call: ToolCall): unknown {
      return act(input, call);
    }
  }
  return TestTool;
}

/** An agent class around a function. */
export function agentClass(name: string, tools: readonly Class[], decide: (step: StepInput) => unknown): Class {
  @Agent({ name, tools: tools })
  class TestAgent {
    decide(step: StepInput): never {
      return decide(step) as never;
    }
  }
  return TestAgent;
}

/** An agent that makes these decisions one after the other: the first for its first step, and so on. */
export function scripted(name: string, tools: readonly Class[], decisions: readonly unknown[]): Class {
  return agentClass(name, tools, (step) => decisions[Math.min(step.steps.length, decisions.length - 1)]);
}

/** A promise that a test settles by hand. */
export class Gate<T = void> {
  open!: (value: T) => void;
  fail!: (error: unknown) => void;
  readonly promise = new Promise<T>((resolve, reject) => {
    this.open = resolve;
    this.fail = reject;
  });
}

/** The data of an instance, without its class. */
export function plain(instance: object): unknown {
  return Object.fromEntries(Object.entries(instance));
}

/** What a tool does that tells when it has started, and then hangs until a test lets it return. */
export function hangingCall(): { started: Gate; hang: Gate<unknown>; act: () => Promise<unknown> } {
  const started = new Gate();
  const hang = new Gate<unknown>();
  const act = () => {
    started.open();
    return hang.promise;
  };
  return { started, hang, act };
}
