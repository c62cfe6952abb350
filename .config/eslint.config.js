// Every rule that is switched off or relaxed carries its reason beside it.
import eslint from '@eslint/js';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

const focusedOrSkipped = ['describe', 'context', 'it', 'specify'].flatMap((object) => [
  { object, property: 'only', message: 'A focused test hides all the others.' },
  { object, property: 'skip', message: 'A skipped test proves nothing: delete it or make it pass.' },
]);

const clockAndChance = [
  { object: 'Date', property: 'now', message: 'core/model is pure: take the time as a parameter.' },
  { object: 'Math', property: 'random', message: 'core/model is pure: take randomness as a parameter.' },
];

export default defineConfig(
  { ignores: ['dist/', 'coverage/', 'test/**/fixtures/**'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  eslint.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      complexity: ['error', 12],
      // `== null` asks for null and undefined in one word.
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'max-lines': ['error', 400],
      'max-lines-per-function': ['error', { max: 50, skipBlankLines: true, skipComments: true }],
      '@typescript-eslint/consistent-type-exports': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-import-type-side-effects': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],

      // A type alias, unlike an interface, is assignable to a JSON record; both have their use.
      '@typescript-eslint/consistent-type-definitions': 'off',
      // `void | Promise<void>` is the honest type of a callback that may be async.
      '@typescript-eslint/no-invalid-void-type': 'off',
      // A type parameter used once still names what a caller gets back.
      '@typescript-eslint/no-unnecessary-type-parameters': 'off',
      // A method may be async to satisfy its interface, and so that what it throws is a rejection.
      '@typescript-eslint/require-await': 'off',
      // `() => close()` as a one-line callback is clearer than a block.
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      // A decorated class may be nothing but its declaration.
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      // `while (true)` is how a loop that leaves by return is written.
      '@typescript-eslint/no-unnecessary-condition': [
        'error',
        { allowConstantLoopConditions: 'only-allowed-literals' },
      ],
      // A leading underscore says that a parameter is there for the signature.
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      // Numbers and booleans print as everyone expects.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
    },
  },
  {
    files: ['core/**/*.ts', 'sdk/**/*.ts', 'decorators/**/*.ts'],
    rules: { 'no-console': 'error' },
  },
  {
    files: ['core/model/**/*.ts'],
    rules: {
      'no-restricted-globals': [
        'error',
        'process',
        'performance',
        'setTimeout',
        'setInterval',
        'setImmediate',
        'fetch',
      ],
      'no-restricted-properties': ['error', ...clockAndChance],
      'no-restricted-syntax': [
        'error',
        {
          selector: 'NewExpression[callee.name="Date"][arguments.length=0]',
          message: 'core/model is pure: take the time as a parameter.',
        },
      ],
    },
  },
  {
    files: ['test/**/*.ts'],
    rules: {
      'no-restricted-globals': ['error', 'xdescribe', 'xcontext', 'xit', 'xspecify'],
      'no-restricted-properties': ['error', ...focusedOrSkipped],

      // A describe block is one function; its length is that of the behaviour it lists.
      'max-lines-per-function': 'off',
      // chai asserts by property: `expect(x).to.be.true`.
      '@typescript-eslint/no-unused-expressions': 'off',
      // A test fails well enough on a value that is not there.
      '@typescript-eslint/no-non-null-assertion': 'off',
      // Fakes have methods that do nothing.
      '@typescript-eslint/no-empty-function': 'off',
      // Tools throw what they like, and tests prove that this is survived.
      '@typescript-eslint/only-throw-error': 'off',
      '@typescript-eslint/prefer-promise-reject-errors': 'off',
      // Tests compare and wrap methods without calling them.
      '@typescript-eslint/unbound-method': 'off',
    },
  },
  {
    files: ['**/*.cjs'],
    languageOptions: { sourceType: 'commonjs', globals: { module: 'writable' } },
  },
);
