import { ValidationTypes } from 'class-validator';
import type { ValidationMetadata } from 'class-validator/types/metadata/ValidationMetadata.js';
import { canonicalJson } from '../model/canonical-json.js';
import type { Json, JsonObject } from '../model/json.js';
import type { Held } from './shape.js';

/**
 * What each validator of class-validator says in JSON Schema.
 *
 * - A constraint here never refuses what its validator accepts. Where there is no exact form the looser one is taken, and
 *   the validator is named in a note. (One hair: `maxLength` counts the variation selector of an emoji, the validator not.)
 * - `format` is a hint, as JSON Schema 2020-12 has it: the usual form, where the validator accepts others too.
 * - A validator that is unknown here, or that holds only under a condition, says nothing.
 */
export interface Constraint {
  /** What the value must satisfy; null if that is not known, even for a value that is missing. */
  readonly schema: JsonObject | null;
  /** What the schema leaves out, for the reader. */
  readonly note: string | null;
}

type Render = (constraints: readonly unknown[]) => JsonObject | null;

const array = (more: JsonObject = {}): JsonObject => ({ type: 'array', ...more });
const number = (more: JsonObject = {}): JsonObject => ({ type: 'number', ...more });
const string = (more: JsonObject = {}): JsonObject => ({ type: 'string', ...more });
const bound = (keyword: string, value: unknown): JsonObject => (typeof value === 'number' ? { [keyword]: value } : {});

/** Validators whose JSON Schema says all that they say, formats being hints; null where their arguments prevent it. */
const EXACT = new Map<string, Render>(
  Object.entries({
    isDefined: () => ({}),
    isString: () => string(),
    isBoolean: () => ({ type: 'boolean' }),
    isInt: () => ({ type: 'integer' }),
    isObject: () => ({ type: 'object' }),
    isNotEmptyObject: () => ({ type: 'object', minProperties: 1 }),
    isArray: () => array(),
    isDate: () => string({ format: 'date-time' }),

    min: ([least]) => number(bound('minimum', least)),
    max: ([most]) => number(bound('maximum', most)),
    isPositive: () => number({ exclusiveMinimum: 0 }),
    isNegative: () => number({ exclusiveMaximum: 0 }),

    isLength: ([least, most]) => string({ ...bound('minLength', least), ...bound('maxLength', most) }),
    minLength: ([least]) => string(bound('minLength', least)),
    maxLength: ([most]) => string(bound('maxLength', most)),
    isNotEmpty: () => ({ minLength: 1 }),
    isEmpty: () => ({ enum: ['', null] }),
    contains: ([part]) => string({ pattern: escaped(String(part)) }),

    arrayNotEmpty: () => array({ minItems: 1 }),
    arrayMinSize: ([least]) => array(bound('minItems', least)),
    arrayMaxSize: ([most]) => array(bound('maxItems', most)),

    isEmail: () => string({ format: 'email' }),
    isUrl: () => string({ format: 'uri' }),
    isUuid: () => string({ format: 'uuid' }),
    isDateString: () => string({ format: 'date-time' }),
    isIso8601: () => string({ format: 'date-time' }),
    isRFC3339: () => string({ format: 'date-time' }),
    isIp: ([version]) => addressOf(version),
    matches: ([pattern, flags]) => patternOf(pattern, flags),

    equals: ([value]) => (isPrimitive(value) ? { const: value } : null),
    isIn: ([values]) => oneOf(values),
    isEnum: ([entity]) => (hasMembers(entity) ? oneOf(membersOf(entity)) : null),
  }),
);

/** Exact ones that may be given options, of which their JSON Schema says nothing. */
const WITH_OPTIONS = new Set('isNotEmptyObject isEmail isUrl isUuid isDateString isIso8601'.split(' '));

/** Validators that say more than JSON Schema can, or say something only for some of their arguments. */
const PARTIAL = new Map<string, Render>(
  Object.entries({
    isNumber: () => number(),
    isDivisibleBy: () => number(),
    isLatitude: () => ({ type: ['number', 'string'] }),
    isLongitude: () => ({ type: ['number', 'string'] }),
    isInstance: () => ({}),
    minDate: () => string({ format: 'date-time' }),
    maxDate: () => string({ format: 'date-time' }),
    arrayContains: () => array(),
    arrayNotContains: () => array(),
    arrayUnique: () => array(),
  }),
);

/** Validators that accept strings only, and judge them in ways that JSON Schema cannot state. */
const OF_STRINGS = new Set(
  (
    'isAlpha isAlphanumeric isAscii isBIC isBase32 isBase58 isBase64 isBooleanString isBtcAddress isByteLength ' +
    'isCreditCard isCurrency isDataURI isDecimal isEAN isEthereumAddress isFqdn IsFirebasePushId isFullWidth isHSL ' +
    'isHalfWidth isHash isHexColor isHexadecimal isIBAN isIsbn isIsin isISO31661Alpha2 isISO31661Alpha3 ' +
    'isISO31661Numeric isISO4217CurrencyCode isISO6391 isISRC isISSN isIdentityCard isJson isJwt isLatLong isLocale ' +
    'isLowercase isMacAddress isMagnetURI isMilitaryTime isMimeType isMobilePhone isMongoId isMultibyte ' +
    'isNumberString isOctal isPassportNumber isPhoneNumber isPort isPostalCode isRgbColor isSemVer ' +
    'isStrongPassword isSurrogatePair isTaxId isTimeZone isUppercase isVariableWidth isIp matches notContains'
  ).split(' '),
);

/** Validators that always have constraints. One of such a name without them is somebody's own. */
const WITH_CONSTRAINTS = new Set(
  (
    'arrayContains arrayMaxSize arrayMinSize arrayNotContains contains equals isAlpha isAlphanumeric isBase64 ' +
    'isByteLength isCurrency isDateString isDecimal isDivisibleBy isEmail isEnum isFqdn isHash isISSN isIdentityCard ' +
    'isIn isInstance isIp isIsbn isIso8601 isLength isMacAddress isMobilePhone isNotEmptyObject isNumber ' +
    'isNumberString isPassportNumber isPhoneNumber isPostalCode isRgbColor isStrongPassword isTaxId isUrl isUuid ' +
    'matches max maxDate maxLength min minDate minLength notContains'
  ).split(' '),
);

const SILENT: Constraint = { schema: null, note: null };

/** What one validator says of a value, or of each item of a list, where `@Type` names what that is. */
export function constraintOf(validator: ValidationMetadata, kind: Held['kind']): Constraint {
  const { type, validateIf } = validator;
  if (type !== ValidationTypes.CUSTOM_VALIDATION && type !== ValidationTypes.IS_DEFINED) return SILENT;
  const note = noteOf(validator, constraintsOf(validator));
  return validateIf ? { schema: null, note: `${note} in some cases` } : unconditional(validator, kind, note);
}

function unconditional(validator: ValidationMetadata, kind: Held['kind'], note: string): Constraint {
  const { name = '' } = validator;
  const constraints = constraintsOf(validator);
  if (WITH_CONSTRAINTS.has(name) && constraints.length === 0) return { schema: null, note };
  const ofInstance = ofInstances(name, kind);
  if (ofInstance) return { schema: ofInstance, note };
  const exact = EXACT.get(name)?.(constraints);
  if (exact) return { schema: exact, note: WITH_OPTIONS.has(name) && isGiven(constraints[0]) ? note : null };
  return { schema: PARTIAL.get(name)?.(constraints) ?? (OF_STRINGS.has(name) ? string() : null), note };
}

function constraintsOf({ constraints }: ValidationMetadata): readonly unknown[] {
  return Array.isArray(constraints) ? constraints : [];
}

function isGiven(option: unknown): boolean {
  return typeof option === 'object' && option !== null ? Object.keys(option).length > 0 : option !== undefined;
}

/** Validators judge instances: a date is an object to them, a text in JSON, and an object is not empty by its defaults. */
function ofInstances(name: string, kind: Held['kind']): JsonObject | null {
  if (kind === 'date' && name === 'isObject') return {};
  return kind === 'object' && name === 'isNotEmptyObject' ? { type: 'object' } : null;
}

/** The members of the enum that a validator asks for one of; null if it asks for none. */
export function enumOf(validator: ValidationMetadata): readonly unknown[] | null {
  const [entity] = constraintsOf(validator);
  return validator.name === 'isEnum' && hasMembers(entity) ? membersOf(entity) : null;
}

function hasMembers(entity: unknown): entity is Readonly<Record<string, unknown>> {
  return (typeof entity === 'object' && entity !== null) || typeof entity === 'function';
}

/**
 * The members of an enum. A numeric enum also maps its numbers back to names, and class-validator takes those names for
 * members; TypeScript does not, and nor do we.
 */
function membersOf(members: Readonly<Record<string, unknown>>): readonly unknown[] {
  const isReverse = (key: string): boolean => {
    const name = members[key];
    return typeof name === 'string' && members[name] === Number(key);
  };
  return [
    ...new Set(
      Object.keys(members)
        .filter((key) => !isReverse(key))
        .map((key) => members[key]),
    ),
  ];
}

/** One of these values; null if one of them is nothing that JSON keeps as it is. */
function oneOf(values: unknown): JsonObject | null {
  if (!Array.isArray(values) || values.length === 0 || !values.every(isPrimitive)) return null;
  return { enum: [...new Set(values)] };
}

function addressOf(version: unknown): JsonObject | null {
  const text = String(version);
  return text === '4' || text === '6' ? string({ format: `ipv${text}` }) : null;
}

/**
 * A regular expression as JSON Schema reads it: no flags, code points for characters.
 *
 * Without its `u` flag an expression counts an emoji as two; so one that can tell is not given as a pattern.
 */
function patternOf(given: unknown, flags: unknown): JsonObject | null {
  const pattern = given instanceof RegExp ? given : new RegExp(String(given), flags as string | undefined);
  if (/[^gu]/.test(pattern.flags)) return null;
  // Read in pairs: in `\\.` it is the backslash that is escaped, and the point is any character.
  const unescaped = pattern.source.replace(/\\([\x20-\x7e])/g, (pair, char: string) =>
    /[WDSBup]/.test(char) ? pair : 'x',
  );
  const countsUnits = !pattern.unicode && /[^\x20-\x7e]|\.|\[\^|\\/.test(unescaped);
  if (countsUnits || !isUnicodePattern(pattern.source)) return null;
  return string({ pattern: pattern.source });
}

function isUnicodePattern(source: string): boolean {
  try {
    return new RegExp(source, 'u').unicode;
  } catch {
    return false;
  }
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

function isPrimitive(value: unknown): value is string | number | boolean | null {
  if (typeof value === 'number') return Number.isFinite(value);
  return value === null || typeof value === 'string' || typeof value === 'boolean';
}

/** A validator as its author wrote it, as far as its arguments can be shown: `isMobilePhone("de-DE")`. */
function noteOf({ name }: ValidationMetadata, constraints: readonly unknown[]): string {
  const shown = name ?? 'a rule of its own';
  const given = constraints.filter((constraint) => constraint !== undefined);
  if (given.some((constraint) => constraint instanceof RegExp)) return `${shown} ${given.map(String).join(' ')}`;
  try {
    return given.length === 0 ? shown : `${shown}(${given.map((constraint) => canonicalJson(constraint)).join(', ')})`;
  } catch {
    return shown;
  }
}

/** Joins constraints that must all hold: into one object where they agree, else beside it in `allOf`. */
export function allOf(parts: readonly JsonObject[]): JsonObject {
  const joined: Record<string, Json> = {};
  const apart: JsonObject[] = [];
  for (const part of parts) {
    if (!Object.entries(part).every(([keyword, value]) => agrees(joined, keyword, value))) apart.push(part);
    else Object.assign(joined, part, joined.type === 'integer' ? { type: 'integer' } : {});
  }
  return apart.length === 0 ? joined : { ...joined, allOf: apart };
}

function agrees(joined: Readonly<Record<string, Json>>, keyword: string, value: Json): boolean {
  const before = joined[keyword];
  if (before === undefined || canonicalJson(before) === canonicalJson(value)) return true;
  return keyword === 'type' && isNumeric(before) && isNumeric(value);
}

function isNumeric(type: Json): boolean {
  return type === 'number' || type === 'integer';
}
