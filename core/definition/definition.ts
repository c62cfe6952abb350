import type { Problem } from '../model/step.js';
import type { Json, JsonObject } from '../model/json.js';
import type { ToolSpec } from '../model/tool.js';
import type { ClassShape, InputClass } from './shape.js';

/** Any class, however it is constructed. */
export type Class<T extends object = object> = abstract new (...args: never[]) => T;

/** One tool, read from its class and checked. */
export interface ToolDefinition {
  readonly spec: ToolSpec;
  /** SHA-256 of the spec's canonical JSON. */
  readonly specHash: string;
  /** The class that holds the method. */
  readonly owner: Class;
  /** The method that is called. */
  readonly method: string;
  /** The method that settles an interrupted call, if there is one. */
  readonly reconcile: string | null;
  readonly input: InputDefinition;
}

/** One input class: its schema, and how a value becomes an instance of it. */
export interface InputDefinition {
  readonly cls: InputClass;
  /** What an agent is told of it; see `schema.ts`. */
  readonly schema: JsonObject;
  /** What it declares; see `shape.ts`. */
  readonly shape: ClassShape;
}

/** One agent, read from its class and checked. */
export interface AgentDefinition {
  readonly name: string;
  readonly description: string;
  readonly cls: Class;
  readonly tools: ReadonlyMap<string, ToolDefinition>;
  /** The method that settles what no tool settles, if there is one. */
  readonly reconcile: string | null;
}

/** Arguments that were checked. */
export type Checked<T> =
  | { readonly ok: true; readonly value: T }
  | {
      readonly ok: false;
      readonly message: string;
      readonly problems: readonly Problem[];
      /** Set if a validator threw: whether they are valid is not known. */
      readonly threw?: true;
    };

/** The JSON of validated arguments: what is stored, shown, hashed and run. */
export type ValidArguments = Json;
