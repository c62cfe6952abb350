import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

/** A wrong declaration is a compile error where TypeScript can see it, in both kinds of decorators. */

const FIXTURE = fileURLToPath(new URL('../../../test/types/fixtures/wrong-declarations.ts', import.meta.url));

const MODES: Record<string, ts.CompilerOptions> = {
  'legacy decorators': { experimentalDecorators: true, emitDecoratorMetadata: true },
  'standard decorators': {},
};

/** Each error as `line: code`. */
function errorsIn(decorators: ts.CompilerOptions): string[] {
  const program = ts.createProgram([FIXTURE], {
    ...decorators,
    noEmit: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
    types: ['node'],
  });
  return ts.getPreEmitDiagnostics(program).map(({ file, start, code, messageText }) => {
    if (file?.fileName !== FIXTURE) expect.fail(ts.flattenDiagnosticMessageText(messageText, '\n'));
    return `${file.getLineAndCharacterOfPosition(start!).line + 1}: TS${code}`;
  });
}

function expectedErrors(): string[] {
  const lines = readFileSync(FIXTURE, 'utf8').split('\n');
  return lines.flatMap((line, index) => {
    const marked = / \/\/ (TS\d+)$/.exec(line);
    return marked ? [`${index + 1}: ${marked[1]!}`] : [];
  });
}

describe('declarations, as the compiler sees them', () => {
  for (const [mode, options] of Object.entries(MODES)) {
    it(`are refused where they are wrong, and nowhere else, with ${mode}`, () => {
      const expected = expectedErrors();
      expect(expected).to.have.length.above(15);
      expect([...new Set(errorsIn(options))]).to.deep.equal(expected);
    }).timeout(60_000);
  }
});
