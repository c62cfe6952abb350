import { plainToInstance } from 'class-transformer';
import { Validator, type ValidationError, type ValidatorOptions } from 'class-validator';
import { ValidationExecutor } from 'class-validator/cjs/validation/ValidationExecutor.js';
import { InvalidJsonError } from '../errors.js';
import { canonicalJson } from '../model/canonical-json.js';
import { isPlainObject, type Json, type JsonObject } from '../model/json.js';
import type { Problem } from '../model/step.js';
import { describeThrown, isInstance, recordable } from '../model/text.js';
import type { Checked, InputDefinition, ValidArguments } from './definition.js';
import { plainOf, rebuilt } from './instance.js';
import { readJsonText } from './json-text.js';
import { memberPath } from './paths.js';
import { screened } from './screen.js';

/**
 * Arguments: from what an agent answered to the JSON that is stored, shown, hashed and approved, and from that JSON to the
 * instance that a tool is called with (contract P3, F14).
 *
 * - Defaults and transforms are applied once, before the JSON is taken; nothing is changed after it.
 * - Nothing is dropped or converted in silence, and every problem is reported at once.
 * - No message of ours quotes a value. (What a validator's author wrote into its message is theirs.)
 */

const ROOT = 'args';
/** A model may write any number of mistakes: so many are compared, listed, and told in the message. */
const MAX_COMPARED = 1_000;
const MAX_PROBLEMS = 50;
const MAX_SHOWN = 3;

const OPTIONS: ValidatorOptions = {
  whitelist: true,
  forbidNonWhitelisted: true,
  forbidUnknownValues: true,
  validationError: { target: false, value: false },
};

/**
 * Checks what an agent answered, and applies defaults and transforms.
 *
 * @param raw the arguments, or the JSON text of them as a model wrote it
 */
export async function validateArguments(input: InputDefinition, raw: unknown): Promise<Checked<ValidArguments>> {
  const problems: Problem[] = [];
  const given = readRaw(raw, problems);
  if (!given) return refused(problems);
  const kept = screened(given, input.shape, ROOT, problems);
  let instance: object;
  try {
    instance = plainToInstance(input.cls, kept, { exposeDefaultValues: true });
  } catch (thrown) {
    return refused([...problems, { path: ROOT, message: `could not be converted: ${describeThrown(thrown).message}` }]);
  }
  return checked(input, instance, problems, validated);
}

/**
 * Makes of stored arguments a fresh instance of their class (contract P4).
 *
 * No `@Transform` runs and no default is filled in: what was approved is what runs. A class that has changed since may
 * refuse them.
 */
export function reviveArguments(input: InputDefinition, args: ValidArguments): Promise<Checked<object>> {
  return revived(input, args, validated);
}

/**
 * The same for a call that was made: what it was called with, whatever a validator says of it now. One that looks at the
 * world may refuse it for what the call itself has done.
 */
export function rebuildArguments(input: InputDefinition, args: ValidArguments): Promise<Checked<object>> {
  return revived(input, args, unjudged);
}

async function revived(input: InputDefinition, args: ValidArguments, judge: Judge): Promise<Checked<object>> {
  const problems: Problem[] = [];
  const stored = readObject(args, problems);
  if (!stored) return refused(problems);
  const rebuild = (): object => rebuilt(structuredClone(stored), input.shape, ROOT, problems);
  try {
    const result = await checked(input, rebuild(), problems, judge);
    if (!result.ok) return result;
    // The instance that validators saw may have been changed by them.
    if (canonicalJson(result.value) === canonicalJson(stored)) return { ok: true, value: rebuild() };
  } catch (thrown) {
    return refused([{ path: ROOT, message: `could not be rebuilt: ${describeThrown(thrown).message}` }]);
  }
  return refused([{ path: ROOT, message: 'no longer mean what was recorded: the input class has changed' }]);
}

function readRaw(raw: unknown, problems: Problem[]): JsonObject | null {
  if (typeof raw !== 'string') return readObject(raw, problems);
  const text = readJsonText(raw, ROOT);
  for (const { path, message } of text.problems) problems.push({ path, message });
  return text.value === undefined ? null : readObject(text.value, problems);
}

function readObject(value: unknown, problems: Problem[]): JsonObject | null {
  const json = readJson(value, problems);
  if (json === undefined || isPlainObject(json)) return json ?? null;
  problems.push({ path: ROOT, message: 'must be an object that holds the arguments by name' });
  return null;
}

/** A copy of a value that is JSON (contract P4); undefined if it is not. */
function readJson(value: unknown, problems: Problem[]): Json | undefined {
  try {
    return JSON.parse(canonicalJson(value, ROOT)) as Json;
  } catch (error) {
    if (!isInstance(error, InvalidJsonError)) throw error;
    problems.push({ path: error.path, message: error.found });
    return undefined;
  }
}

/** The JSON is taken before a validator is awaited, so that nothing that happens meanwhile changes it. */
async function checked(
  { shape }: InputDefinition,
  instance: object,
  before: readonly Problem[],
  judge: Judge,
): Promise<Checked<ValidArguments>> {
  const structural: Problem[] = [];
  const json = readJson(plainOf(instance, shape, ROOT, structural), structural);
  const { invalid, thrown } = shape.properties.size === 0 ? await unjudged() : await judge(instance);
  const problems = [...before, ...invalid, ...thrown, ...structural];
  if (json !== undefined && problems.length === 0) return { ok: true, value: json };
  return thrown.length > 0 ? { ...refused(problems), threw: true } : refused(problems);
}

/** What validators found, and what those came to that threw. */
interface Judged {
  readonly invalid: readonly Problem[];
  readonly thrown: readonly Problem[];
}

type Judge = (instance: object) => Promise<Judged>;

const unjudged = (): Promise<Judged> => Promise.resolve({ invalid: [], thrown: [] });

/**
 * What class-validator finds.
 *
 * It is run through its executor so that every asynchronous validator is waited for even when another one throws: a
 * rejection that nobody awaits would end the process.
 */
async function validated(instance: object): Promise<Judged> {
  const executor = new ValidationExecutor(new Validator(), OPTIONS);
  const errors: ValidationError[] = [];
  const failures: unknown[] = [];
  try {
    executor.execute(instance, '', errors);
  } catch (thrown) {
    failures.push(thrown);
  }
  for (const outcome of await Promise.allSettled(executor.awaitingPromises)) {
    if (outcome.status === 'rejected') failures.push(outcome.reason);
  }
  const thrown = failures.map((failure) => ({
    path: ROOT,
    message: `a validator threw: ${describeThrown(failure).message}`,
  }));
  return { invalid: problemsOf(executor.stripEmptyErrors(errors), instance, ROOT), thrown };
}

function problemsOf(errors: readonly ValidationError[], holder: unknown, path: string): Problem[] {
  return errors.flatMap((error) => {
    const property = error.property as string | undefined;
    if (property === undefined) return [{ path, message: 'is not an object of the declared class' }];
    const at = Array.isArray(holder) ? `${path}[${property}]` : memberPath(path, property);
    const value: unknown = Reflect.get(holder as object, property);
    const own = error.constraints ? [{ path: at, message: messageOf(error.constraints, value) }] : [];
    return [...own, ...problemsOf(error.children ?? [], value, at)];
  });
}

function messageOf(constraints: Readonly<Record<string, string>>, value: unknown): string {
  const broken = Object.entries(constraints).map(([name, message]) => recordable(message || `fails ${name}`));
  return `${value === undefined ? 'is missing: ' : ''}${broken.join('; ')}`;
}

function refused(found: readonly Problem[]): Checked<never> & { readonly ok: false } {
  const all = withoutRepeats(found.slice(0, MAX_COMPARED));
  const count = all.length + Math.max(found.length - MAX_COMPARED, 0);
  const problems = all.slice(0, MAX_PROBLEMS);
  if (count > MAX_PROBLEMS) problems.push({ path: ROOT, message: `and ${count - MAX_PROBLEMS} more problems` });
  const shown = problems.slice(0, MAX_SHOWN).map(({ path, message }) => `${path}: ${message}`);
  const rest = count > MAX_SHOWN ? ` (and ${count - MAX_SHOWN} more)` : '';
  return { ok: false, message: `the arguments are not valid: ${shown.join('; ')}${rest}`, problems };
}

/** A value that was refused is not refused again, in whole or in part, on other grounds. */
function withoutRepeats(problems: readonly Problem[]): Problem[] {
  const reported = new Set<string>();
  return problems.filter(({ path }) => {
    const around = [...path.matchAll(/[.[]/g)].map(({ index }) => path.slice(0, index));
    if ([...around, path].some((outer) => outer !== ROOT && reported.has(outer))) return false;
    reported.add(path);
    return true;
  });
}
