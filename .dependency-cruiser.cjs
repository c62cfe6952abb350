/**
 * examples → sdk → core → decorators: the import rules that the folder tree states.
 *
 * Paths are regular expressions from the root of the repository. Imports of types count like any other.
 */

const PRODUCT = '^(core|sdk|decorators)/';
const npm = (...names) => `(^|/)node_modules/(@types/)?(${names.join('|')})(/|$)`;

/** One rule: what may not be imported from where. */
function forbid(name, from, to, comment) {
  return { name, severity: 'error', comment, from, to };
}

const floors = [
  forbid(
    'decorators-import-nothing-of-ours',
    { path: '^decorators/' },
    { path: '^(core|sdk|examples|test|dist)/' },
    'Decorators record, and know nothing of what reads the record.',
  ),
  forbid(
    'core-imports-only-decorators',
    { path: '^core/' },
    { path: '^(sdk|examples|test|dist)/' },
    'Core is below the sdk and never sees it.',
  ),
  forbid(
    'sdk-imports-only-core-and-decorators',
    { path: '^sdk/' },
    { path: '^(examples|test|dist)/' },
    'The sdk stands on core and decorators alone.',
  ),
  forbid(
    'examples-import-only-the-package',
    { path: '^examples/' },
    { path: '^(core|sdk|decorators|test|dist)/', dependencyTypes: ['local', 'localmodule'] },
    "An example is a user: it imports from 'holdpoint', never by a path into the sources.",
  ),
  forbid(
    'examples-import-only-their-own-folder',
    { path: '^examples/([^/]+)/' },
    { path: '^examples/', pathNot: '^examples/$1/' },
    'An example is read, and copied, as one folder.',
  ),
  forbid('only-tests-import-test', { pathNot: '^test/' }, { path: '^test/' }, 'Test helpers are for tests.'),
  forbid(
    'product-never-imports-itself-by-name',
    { path: PRODUCT },
    { path: ['^holdpoint(/|$)', '^dist/'] },
    'Inside the package, import the source file; the name is for those outside.',
  ),
];

const folders = [
  forbid(
    'model-imports-no-node-module',
    { path: '^core/model/' },
    { dependencyTypes: ['core'], pathNot: '^(node:)?crypto$' },
    'core/model is pure: no I/O and no clock. Hashing is the one thing it needs of node.',
  ),
  forbid(
    'model-imports-no-mechanism',
    { path: '^core/model/' },
    {
      path: [
        '^core/(store|engine|lease|definition)/',
        npm('typeorm', 'better-sqlite3', 'pg', 'class-validator', 'class-transformer'),
      ],
    },
    'core/model says what is legal; the folders around it do the work.',
  ),
  forbid(
    'engine-is-imported-from-above',
    { path: '^core/(store|lease|definition|model)/' },
    { path: '^core/engine/' },
    'The engine sequences the others; none of them knows it.',
  ),
  forbid(
    'store-imports-no-definition',
    { path: '^core/store/' },
    { path: '^core/definition/' },
    'The store holds records of definitions, not definitions.',
  ),
];

const packages = [
  forbid(
    'typeorm-only-in-store',
    { pathNot: '^(core/store|test)/' },
    { path: npm('typeorm') },
    'core/store is the only folder that knows the database.',
  ),
  forbid(
    'better-sqlite3-only-in-store-and-lease',
    { pathNot: '^(core/store|core/lease|examples|test)/' },
    { path: npm('better-sqlite3') },
    'Besides the store only the heartbeat opens a connection; an example may have a database of its own.',
  ),
  forbid(
    'class-validator-only-in-definition',
    { pathNot: '^(core/definition|examples|test)/' },
    { path: npm('class-validator', 'class-transformer') },
    'Arguments are checked in core/definition, and nowhere else.',
  ),
  forbid(
    'no-dev-dependencies-in-product',
    { path: PRODUCT },
    { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['npm', 'npm-peer', 'npm-optional'] },
    'A consumer installs dependencies, not devDependencies.',
  ),
  forbid(
    'no-unlisted-package',
    {},
    { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    'What is imported is listed in package.json, not found by luck in node_modules.',
  ),
];

const hygiene = [
  forbid('no-circular', {}, { circular: true }, 'A cycle, even one of types, means that two files are one.'),
  forbid(
    'no-orphans',
    { orphan: true, path: PRODUCT, pathNot: '\\.d\\.ts$' },
    {},
    'A file that imports nothing and that nobody imports is dead.',
  ),
  forbid(
    'not-to-unresolvable',
    {},
    // On a clean checkout `holdpoint` resolves only for tsc, which proves it: dist is not there yet.
    { couldNotResolve: true, pathNot: '^holdpoint(/|$)' },
    'The imported file or package does not exist.',
  ),
];

module.exports = {
  forbidden: [...floors, ...folders, ...packages, ...hygiene],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    combinedDependencies: false,
    doNotFollow: { path: ['node_modules', '^dist/'] },
    exclude: { path: '^test/.*/fixtures/' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      extensions: ['.ts', '.js', '.d.ts', '.json'],
    },
  },
};
