/** A file planted for one rule to refuse. */
export interface Fault {
  readonly title: string;
  readonly rule: string;
  readonly file: string;
  readonly source: string;
}

function fault(rule: string, title: string, file: string, source: string): Fault {
  return { rule, title, file, source };
}

/** A small tree that keeps every rule, for the faults to be planted in. */
export const SOUND: Readonly<Record<string, string>> = {
  'decorators/tool.ts': "import 'reflect-metadata';\n\nexport const tool = 'tool';\n",
  'core/errors.ts': "export { tool } from '../decorators/tool.js';\n",
  'core/model/hash.ts': "import { createHash } from 'node:crypto';\n\nexport const hash = createHash('sha256');\n",
  'core/definition/define.ts': "export { IsString } from 'class-validator';\n",
  'core/store/open.ts': "export { DataSource } from 'typeorm';\nexport { default } from 'better-sqlite3';\n",
  'core/lease/lease.ts': "export { default } from 'better-sqlite3';\n",
  'core/engine/loop.ts': "export { DataSource } from '../store/open.js';\n",
  'sdk/index.ts': "export { DataSource } from '../core/engine/loop.js';\nexport { tool } from '../core/errors.js';\n",
  'examples/01-sound/input.ts': "export { IsString } from 'class-validator';\n",
  'examples/01-sound/demo.ts': "export { tool } from 'holdpoint';\nexport { IsString } from './input.js';\n",
  'test/support/help.ts': "export { expect } from 'chai';\n",
  'test/sound.test.ts':
    "import { expect } from './support/help.js';\n\nit('is sound', () => {\n  expect(1).to.equal(1);\n});\n",
};

export const IMPORT_FAULTS: readonly Fault[] = [
  fault(
    'decorators-import-nothing-of-ours',
    'a decorator that imports core',
    'decorators/upward.ts',
    "export { hash } from '../core/model/hash.js';\n",
  ),
  fault(
    'core-imports-only-decorators',
    'a file of core that imports the sdk',
    'core/upward.ts',
    "export type { DataSource } from '../sdk/index.js';\n",
  ),
  fault(
    'sdk-imports-only-core-and-decorators',
    'a file of the sdk that imports an example',
    'sdk/upward.ts',
    "export { IsString } from '../examples/01-sound/input.js';\n",
  ),
  fault(
    'examples-import-only-the-package',
    'an example that imports a source file',
    'examples/02-deep/demo.ts',
    "export { tool } from '../../sdk/index.js';\n",
  ),
  fault(
    'examples-import-only-their-own-folder',
    'an example that imports another',
    'examples/03-neighbour/demo.ts',
    "export { IsString } from '../01-sound/input.js';\n",
  ),
  fault(
    'only-tests-import-test',
    'a file of the sdk that imports a test helper',
    'sdk/helped.ts',
    "export { expect } from '../test/support/help.js';\n",
  ),
  fault(
    'product-never-imports-itself-by-name',
    'a file of the sdk that imports the package by name',
    'sdk/itself.ts',
    "export { tool } from 'holdpoint';\n",
  ),
  fault(
    'model-imports-no-node-module',
    'a model that does I/O',
    'core/model/reads.ts',
    "export { readFile } from 'node:fs/promises';\n",
  ),
  fault(
    'model-imports-no-mechanism',
    'a model that imports the store',
    'core/model/stores.ts',
    "export { DataSource } from '../store/open.js';\n",
  ),
  fault(
    'engine-is-imported-from-above',
    'a lease that imports the engine',
    'core/lease/upward.ts',
    "export { DataSource } from '../engine/loop.js';\n",
  ),
  fault(
    'store-imports-no-definition',
    'a store that imports definitions',
    'core/store/defines.ts',
    "export { IsString } from '../definition/define.js';\n",
  ),
  fault(
    'typeorm-only-in-store',
    'typeorm outside the store, even as a type',
    'core/engine/queries.ts',
    "export type { DataSource } from 'typeorm';\n",
  ),
  fault(
    'better-sqlite3-only-in-store-and-lease',
    'better-sqlite3 in the engine',
    'core/engine/opens.ts',
    "export { default } from 'better-sqlite3';\n",
  ),
  fault(
    'class-validator-only-in-definition',
    'class-validator in the sdk',
    'sdk/validates.ts',
    "export { IsString } from 'class-validator';\n",
  ),
  fault(
    'no-dev-dependencies-in-product',
    'a devDependency in the sdk',
    'sdk/asserts.ts',
    "export { expect } from 'chai';\n",
  ),
  fault(
    'no-unlisted-package',
    'a package that package.json does not list',
    'core/unlisted.ts',
    "export { default } from 'picomatch';\n",
  ),
  fault(
    'no-circular',
    'a cycle of types',
    'core/link.ts',
    "import type { Ring } from './ring.js';\n\nexport type Link = Ring[];\n",
  ),
  fault('no-orphans', 'a file that nobody imports', 'core/orphan.ts', 'export const alone = true;\n'),
  fault(
    'not-to-unresolvable',
    'an import of what does not exist',
    'core/missing.ts',
    "export { nothing } from './nothing.js';\n",
  ),
];

const lines = (count: number, line: string): string => `${line}\n`.repeat(count);

export const LINT_FAULTS: readonly Fault[] = [
  fault(
    '@typescript-eslint/no-floating-promises',
    'a floating promise',
    'core/lint/floats.ts',
    'Promise.resolve(1);\n',
  ),
  fault(
    '@typescript-eslint/no-misused-promises',
    'an async callback whose promise nobody sees',
    'core/lint/misuses.ts',
    'export function all(list: number[]): void {\n  list.forEach(async (n) => {\n    await Promise.resolve(n);\n  });\n}\n',
  ),
  fault('@typescript-eslint/no-explicit-any', 'an explicit any', 'core/lint/any.ts', 'export type Anything = any;\n'),
  fault(
    '@typescript-eslint/consistent-type-imports',
    'a type imported as a value',
    'test/lint/types.ts',
    "import { Server } from 'node:net';\n\nexport type Named = Server;\n",
  ),
  fault(
    '@typescript-eslint/switch-exhaustiveness-check',
    'a switch that forgets a case',
    'core/lint/switch.ts',
    "export function told(sure: 'yes' | 'no'): void {\n  switch (sure) {\n    case 'yes':\n      throw new Error(sure);\n  }\n}\n",
  ),
  fault(
    'max-lines-per-function',
    'a function of more than 50 lines',
    'core/lint/function.ts',
    `export function long(list: number[]): void {\n${lines(50, '  list.push(1);')}}\n`,
  ),
  fault('max-lines', 'a file of more than 400 lines', 'core/lint/file.ts', lines(401, '//')),
  fault(
    'complexity',
    'a function of too many branches',
    'core/lint/branches.ts',
    `export function branchy(n: number): number {\n${lines(12, '  if (n > 1) return 1;')}  return n;\n}\n`,
  ),
  fault(
    'eqeqeq',
    'a loose comparison',
    'core/lint/loose.ts',
    'export const same = (a: number, b: number): boolean => a == b;\n',
  ),
  fault('no-console', 'a console in core', 'core/lint/console.ts', "console.log('here');\n"),
  fault('no-restricted-properties', 'a clock in the model', 'core/model/clock.ts', 'export const now = Date.now();\n'),
  fault('no-restricted-properties', 'a focused test', 'test/lint/only.ts', "it.only('alone', () => {});\n"),
  fault('no-restricted-properties', 'a skipped test', 'test/lint/skip.ts', "describe.skip('none', () => {});\n"),
  fault(
    'opt-out',
    'an opt-out that nothing needs',
    'core/lint/unused.ts',
    '// eslint-disable-next-line no-console -- a reason\nexport const quiet = true;\n',
  ),
];

export const TYPE_FAULTS: readonly Fault[] = [
  fault('TS2322', 'a value of the wrong type', 'core/types/wrong.ts', "export const count: number = 'one';\n"),
  fault(
    'TS2322',
    'an element that may not be there',
    'core/types/index.ts',
    'export const first = (list: string[]): string => list[0];\n',
  ),
  fault(
    'TS2375',
    'an undefined given for an optional property',
    'core/types/exact.ts',
    'export const options: { name?: string } = { name: undefined };\n',
  ),
  fault(
    'TS4114',
    'an override that does not say so',
    'core/types/override.ts',
    'export class Named extends Error {\n  toString(): string {\n    return this.name;\n  }\n}\n',
  ),
  fault(
    'TS2305',
    'an import of a name that the package does not export',
    'examples/04-unknown/demo.ts',
    "export { nothing } from 'holdpoint';\n",
  ),
];

export const FORMAT_FAULTS: readonly Fault[] = [
  fault('[warn]', 'a file that is not formatted', 'core/format/double.ts', 'export const quote = "double"\n'),
];

/** What a fault needs beside it: the other half of a cycle. */
export const COMPANIONS: Readonly<Record<string, string>> = {
  'core/ring.ts': "import type { Link } from './link.js';\n\nexport type Ring = Link[];\n",
};
