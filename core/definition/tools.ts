import { declarationsOf, type Declaration } from '../../decorators/metadata.js';
import { DefinitionError, InvalidJsonError } from '../errors.js';
import { canonicalJson } from '../model/canonical-json.js';
import { sha256 } from '../model/hash.js';
import type { Effect, ToolSpec } from '../model/tool.js';
import type { Class, ToolDefinition } from './definition.js';
import { inputOf } from './input.js';
import { hasMethod, methodOf, refuseTwice } from './members.js';
import { Options, shown } from './options.js';
import { reconciliationsOf } from './reconciliations.js';
import { nameOf } from './shape.js';

const OPTIONS = ['name', 'description', 'input', 'effect', 'timeoutMs', 'terminal'];
const EFFECTS = ['local', 'remote', 'destructive'] as const;
const DEFAULT_TIMEOUT_MS = 60_000;

/** One `@Tool` with the method that it declares. */
export interface DeclaredTool {
  /** What to call it in a message. */
  readonly where: string;
  readonly method: string;
  readonly readOnly: boolean;
  readonly options: Options;
  /** The name that it has if none is given. */
  readonly defaultName: string;
}

/**
 * Every tool that a class declares, in the order of declaration.
 *
 * @throws DefinitionError naming the class and what to write
 */
export function toolsOf(cls: Class): ToolDefinition[] {
  const tools = declaredTools(cls);
  const reconciliations = reconciliationsOf(cls, tools);
  return tools.map((tool) => definitionOf(cls, tool, reconciliations.get(tool.method) ?? null));
}

/**
 * The name of the one tool that a class declares.
 *
 * @throws DefinitionError if it declares none or several
 */
export function toolNameOf(cls: Class): string {
  const [tool, ...more] = declaredTools(cls);
  if (tool && more.length === 0) return tool.options.name(tool.defaultName);
  throw new DefinitionError(`${nameOf(cls)} declares ${more.length + 1} tools; say which one by its name`);
}

function declaredTools(cls: Class): DeclaredTool[] {
  const declarations = declarationsOf(cls, 'tool');
  if (declarations.length === 0) {
    throw new DefinitionError(
      `${nameOf(cls)} declares no tool: write @Tool(readOnly) above the class or above its methods, ` +
        'with true for one that changes nothing',
    );
  }
  refuseTwice(cls, declarations);
  if (declarations.length > 1 && declarations.some(({ place }) => place.kind === 'class')) {
    throw new DefinitionError(`${nameOf(cls)} has @Tool on the class and on a method; keep one or the other`);
  }
  return declarations.map((declaration) => declaredTool(cls, declaration));
}

function declaredTool(cls: Class, declaration: Declaration<'tool'>): DeclaredTool {
  const { declaredBy, given, place } = declaration;
  const method = place.kind === 'class' ? executeOf(cls) : methodOf(cls, declaration);
  const where = place.kind === 'class' ? nameOf(cls) : `${nameOf(cls)}.${method}`;
  if (typeof given.readOnly !== 'boolean') {
    throw new DefinitionError(
      `${where}: write @Tool(true) if it changes nothing, else @Tool(false); not @Tool(${shown(given.readOnly)})`,
    );
  }
  const defaultName = snakeCase(place.kind === 'class' ? declaredBy.name.replace(/(?<=.)Tool$/, '') : method);
  return { where, method, readOnly: given.readOnly, options: new Options(where, given.options, OPTIONS), defaultName };
}
function executeOf(cls: Class): string {
  if (hasMethod(cls, 'execute')) return 'execute';
  throw new DefinitionError(
    `${nameOf(cls)} has @Tool and no method execute(input, call); a field that holds a function does not count`,
  );
}

function definitionOf(cls: Class, tool: DeclaredTool, reconcile: string | null): ToolDefinition {
  const { method, options, readOnly } = tool;
  const advice = `@Tool(${readOnly}, { input: YourInput })`;
  const input = inputOf({ owner: cls, method, reconcile, given: options.raw('input'), advice });
  const spec: ToolSpec = {
    name: options.name(tool.defaultName),
    description: options.description(),
    readOnly,
    effect: effectOf(tool),
    timeoutMs: options.timeoutMs(DEFAULT_TIMEOUT_MS),
    terminal: options.flag('terminal', false),
    inputSchema: input.schema,
  };
  const specHash = sha256(encoded(spec, tool.where));
  deepFreeze(spec);
  return Object.freeze({ spec, specHash, owner: cls, method, reconcile, input: Object.freeze(input) });
}

function effectOf({ readOnly, options, where }: DeclaredTool): Effect {
  if (!readOnly) return options.oneOf('effect', EFFECTS, 'remote');
  if (options.raw('effect') === undefined) return 'none';
  throw new DefinitionError(
    `${where}: a tool that is read only has no effect; leave out effect, or write @Tool(false, …)`,
  );
}

function encoded(spec: ToolSpec, where: string): string {
  try {
    return canonicalJson(spec, 'spec');
  } catch (error) {
    if (!(error instanceof InvalidJsonError)) throw error;
    throw new DefinitionError(`${where}: its declaration cannot be recorded, at ${error.message}`, { cause: error });
  }
}

/** `lookUpOrder` → `look_up_order`, `HTTPFetch` → `http_fetch`. */
function snakeCase(name: string): string {
  return name
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1_$2')
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase();
}

function deepFreeze(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  Object.freeze(value);
  Object.values(value).forEach(deepFreeze);
}
