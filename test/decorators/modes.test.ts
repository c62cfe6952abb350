import { expect } from 'chai';
import { build } from 'esbuild';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import ts from 'typescript';
import { defineAgents } from '../../core/definition/agents.js';
import type { AgentDefinition } from '../../core/definition/definition.js';
import type { InputClass } from '../../core/definition/shape.js';
import { DefinitionError } from '../../core/errors.js';

/**
 * One source, compiled as users compile theirs, declares the same agents in every mode.
 *
 * The output lies inside the package, so that `holdpoint` is the copy under test.
 */

const SOURCES = fileURLToPath(new URL('../../../test/decorators/fixtures/modes/', import.meta.url));
const OUTPUT = fileURLToPath(new URL('./fixtures/modes/', import.meta.url));
const FILES = ['with-input', 'without-input'];

type Compile = (sources: string[], outDir: string) => Promise<void>;

const MODES: Record<string, Compile> = {
  'tsc, legacy with emitted metadata': withTsc({ experimentalDecorators: true, emitDecoratorMetadata: true }),
  'tsc, legacy': withTsc({ experimentalDecorators: true }),
  'tsc, legacy, fields assigned': withTsc({ experimentalDecorators: true, useDefineForClassFields: false }),
  'tsc, standard': withTsc({}),
  'esbuild, standard': withEsbuild({}),
  'esbuild, legacy': withEsbuild({ experimentalDecorators: true }),
};

function withTsc(decorators: ts.CompilerOptions): Compile {
  return async (sources, outDir) => {
    const program = ts.createProgram(sources, {
      ...decorators,
      outDir,
      rootDir: SOURCES,
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.NodeNext,
      strict: true,
      skipLibCheck: true,
      types: [],
    });
    const { diagnostics } = program.emit();
    const problems = [...ts.getPreEmitDiagnostics(program), ...diagnostics];
    expect(problems.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))).to.deep.equal([]);
  };
}

function withEsbuild(compilerOptions: Record<string, boolean>): Compile {
  return async (entryPoints, outdir) => {
    const tsconfigRaw = { compilerOptions: { ...compilerOptions, target: 'ES2022' } };
    await build({
      entryPoints,
      outdir,
      format: 'esm',
      target: 'es2022',
      platform: 'node',
      tsconfigRaw,
      logLevel: 'error',
    });
  };
}

interface Declared {
  readonly RefundAgent: unknown;
  readonly StrictAgent: unknown;
  readonly OnClass: unknown;
  readonly OnMethod: unknown;
  readonly ChargeInput: InputClass;
  readonly ChargeCard: new (charged?: string[]) => { execute(input: object, call: object): number; charged: string[] };
  readonly StricterOrders: new () => { cancel(input: { id: string }): string };
}

/** All of an agent that can be compared between two compilations. */
function comparable({ name, description, cls, tools, reconcile }: AgentDefinition): unknown {
  const shown = [...tools.values()].map(({ spec, specHash, owner, method, reconcile: settledBy, input }) => {
    return { spec, specHash, owner: owner.name, method, settledBy, input: input.cls.name };
  });
  return { name, description, cls: cls.name, tools: shown, reconcile };
}

function refusal(cls: unknown): string {
  try {
    defineAgents([cls], { provided: false });
  } catch (error) {
    expect(error).to.be.instanceOf(DefinitionError);
    return (error as Error).message;
  }
  return '';
}

describe('the decorators', () => {
  const declared = new Map<string, Declared>();

  before(async function () {
    this.timeout(120_000);
    await rm(OUTPUT, { recursive: true, force: true });
    for (const [mode, compile] of Object.entries(MODES)) {
      const outDir = join(OUTPUT, mode.replace(/\W+/g, '-'));
      await mkdir(outDir, { recursive: true });
      await compile(
        FILES.map((file) => join(SOURCES, `${file}.ts`)),
        outDir,
      );
      const modules = FILES.map((file) => import(pathToFileURL(join(outDir, `${file}.js`)).href) as Promise<object>);
      declared.set(mode, Object.assign({}, ...(await Promise.all(modules))) as Declared);
    }
  });

  const definitionsOf = (mode: string): unknown[] => {
    const { RefundAgent, StrictAgent } = declared.get(mode)!;
    return [...defineAgents([RefundAgent, StrictAgent], { provided: false }).values()].map(comparable);
  };

  it('declare in the first mode what the source says', () => {
    const [refunds, strict] = definitionsOf(Object.keys(MODES)[0]!) as Record<string, unknown>[];
    expect(refunds).to.deep.include({
      name: 'refunds',
      cls: 'RefundAgent',
      description: 'Refunds orders',
      reconcile: 'settle',
    });
    const toolsOf = (agent: unknown): string[] => {
      return (agent as { tools: Record<string, unknown>[] }).tools.map(({ spec, owner, method, settledBy, input }) => {
        const { name, effect, description } = spec as Record<string, string>;
        return [name, effect, description, `${owner as string}.${method as string}`, settledBy, input].join();
      });
    };
    expect(toolsOf(refunds)).to.deep.equal([
      'charge_card,destructive,Charge the card,ChargeCard.execute,lookUp,ChargeInput',
      'look_up_order,none,,OrderTools.lookUpOrder,,OrderInput',
      'cancel-order,remote,,OrderTools.cancel,wasCancelled,OrderInput',
    ]);
    expect(toolsOf(strict)).to.have.members([
      'cancel-order,remote,,StricterOrders.cancel,wasCancelled,OrderInput',
      'look_up_order,none,anew,StricterOrders.lookUpOrder,,OrderInput',
    ]);
  });

  for (const mode of Object.keys(MODES)) {
    describe(mode, () => {
      it('declare the same agents as in every other mode', () => {
        expect(definitionsOf(mode)).to.deep.equal(definitionsOf(Object.keys(MODES)[0]!));
      });

      it('do not change the class: it works without a runtime', () => {
        const { ChargeCard, ChargeInput, StricterOrders } = declared.get(mode)!;
        const tool = new ChargeCard(['before']);
        expect(tool.execute(Object.assign(new ChargeInput(), { order: 'A-1', amountCents: 5 }), {})).to.equal(5);
        expect(tool.charged).to.deep.equal(['before', 'A-1']);
        expect(new StricterOrders().cancel({ id: '7' })).to.equal('strictly cancelled 7');
        expect(ChargeCard.name).to.equal('ChargeCard');
        expect(Object.keys(ChargeCard)).to.deep.equal([]);
        expect(Object.getOwnPropertyNames(ChargeCard.prototype)).to.deep.equal(['constructor', 'execute', 'lookUp']);
      });

      if (mode.includes('metadata')) {
        it('find the input class in what TypeScript emits', () => {
          const { OnClass, OnMethod } = declared.get(mode)!;
          const agents = [...defineAgents([OnClass, OnMethod], { provided: false }).values()];
          const inputs = agents.flatMap(({ tools }) => [...tools.values()].map(({ input }) => input.cls.name));
          expect(inputs).to.deep.equal(['OrderInput', 'OrderInput']);
        });
      } else {
        it('say what to write where the input class is not given', () => {
          const { OnClass, OnMethod } = declared.get(mode)!;
          expect(refusal(OnClass)).to.equal(
            'CancelOrder.execute: no input class to be found, as no parameter types were emitted for it; ' +
              'write @Tool(false, { input: YourInput })',
          );
          expect(refusal(OnMethod)).to.match(
            /^OrderTools.lookUpOrder: no input class .* @Tool\(true, { input: YourInput }\)$/,
          );
        });
      }
    });
  }
});
