import { expect } from 'chai';
import { build } from 'esbuild';
import { mkdir, rm } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';

const OUTPUT = fileURLToPath(new URL('./fixtures/bundled/', import.meta.url));
const DEFINE_INPUT = new URL('../../../core/definition/input.js', import.meta.url).href;

/** A program that defines an input class, bundled with class-transformer from the given field of its package.json. */
async function bundled(mainField: string): Promise<string> {
  const outfile = `${OUTPUT}${mainField}.js`;
  const contents = `
    import { Type } from 'class-transformer';
    import { IsDate } from 'class-validator';
    import { inputOf } from ${JSON.stringify(fileURLToPath(DEFINE_INPUT))};
    class Input {}
    IsDate()(Input.prototype, 'when');
    Type(() => Date)(Input.prototype, 'when');
    export let outcome = 'defined';
    try {
      inputOf({ owner: Input, method: 'execute', reconcile: null, given: Input, advice: '' });
    } catch (error) {
      outcome = error.message;
    }
  `;
  await build({
    stdin: { contents, resolveDir: OUTPUT },
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    mainFields: [mainField, 'main'],
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    logLevel: 'error',
  });
  return ((await import(pathToFileURL(outfile).href)) as { outcome: string }).outcome;
}

describe('a bundled program', () => {
  before(async () => {
    await rm(OUTPUT, { recursive: true, force: true });
    await mkdir(OUTPUT, { recursive: true });
  });

  it('defines its input classes where the bundle holds one class-transformer', async () => {
    expect(await bundled('main')).to.equal('defined');
  });

  it('is told where the bundle holds two, whose decorators do not know of each other', async () => {
    expect(await bundled('module')).to.equal(
      'class-transformer is loaded twice, so its decorators cannot be read: mark it as external in the bundler',
    );
  });
});
