import { expect } from 'chai';
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SHORT_LIVED } from '../support/child.js';
import { normalise } from './normalise.js';

const DEMO = fileURLToPath(new URL('../../examples/01-refund/demo.js', import.meta.url));
const SOURCES = new URL('../../../', import.meta.url);

function source(path: string): Promise<string> {
  return readFile(new URL(path, SOURCES), 'utf8');
}

/** A demo under way, in a process group and with a temporary directory of its own. */
class Performance {
  output = '';
  errors = '';
  readonly #process: ChildProcess;
  readonly #exited: Promise<unknown>;
  readonly #closed: Promise<unknown>;

  constructor(directory: string, args: readonly string[]) {
    this.#process = spawn(process.execPath, [...SHORT_LIVED, DEMO, ...args], {
      detached: true,
      env: { ...process.env, TMPDIR: directory },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#exited = once(this.#process, 'exit');
    this.#closed = once(this.#process, 'close');
    this.#process.stdout!.setEncoding('utf8').on('data', (text: string) => (this.output += text));
    this.#process.stderr!.setEncoding('utf8').on('data', (text: string) => (this.errors += text));
  }

  get pid(): number {
    return this.#process.pid!;
  }

  get stdout() {
    return this.#process.stdout!;
  }

  /** Waits until it has printed this. */
  async reached(text: string): Promise<void> {
    const ended = once(this.stdout, 'close').then(() => {
      throw new Error(`it ended before it printed ${text}: ${this.errors}`);
    });
    ended.catch(() => undefined);
    while (!this.output.includes(text)) await Promise.race([once(this.stdout, 'data'), ended]);
  }

  /** Waits until it has ended, but not for the processes that it started. */
  async exited(): Promise<number | null> {
    await this.#exited;
    return this.#process.exitCode;
  }

  /** Waits until nobody can write to its output any more: it and every process that it started have ended. */
  async ended(): Promise<number | null> {
    await this.#closed;
    return this.#process.exitCode;
  }

  /** What Ctrl-C at a terminal does: every process of the group gets it. */
  signalGroup(signal: NodeJS.Signals): void {
    process.kill(-this.pid, signal);
  }

  signal(signal: NodeJS.Signals): void {
    this.#process.kill(signal);
  }

  /** Whether a process of its group is still there. */
  get groupLives(): boolean {
    try {
      process.kill(-this.pid, 0);
      return true;
    } catch {
      return false;
    }
  }

  /** The process that it started from this module. */
  childPid(module: string): number {
    const processes = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' }).split('\n');
    const [pid] = processes
      .map((line) => line.trim().split(/\s+/))
      .filter(([, ppid, ...args]) => ppid === String(this.pid) && args.join(' ').includes(module))
      .map(([pid]) => Number(pid));
    return pid!;
  }
}

describe('examples/01-refund', () => {
  let directory: string;
  let demo: Performance;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'performance-'));
  });

  afterEach(async () => {
    if (demo.groupLives) demo.signalGroup('SIGKILL');
    await rm(directory, { recursive: true, force: true });
  });

  function start(...args: string[]): Performance {
    demo = new Performance(directory, args);
    return demo;
  }

  /** It ended and left nothing: no process, no file. */
  async function expectNoTrace(code: number): Promise<void> {
    expect(await demo.exited(), demo.errors).to.equal(code);
    expect(demo.groupLives, 'a process of the demo lives on').to.be.false;
    expect(await readdir(directory)).to.deep.equal([]);
    await demo.ended();
  }

  describe('with an answer to the interrupted charge', () => {
    const performances = [
      ['I6: approve calls once more on the same step, and only then is the card charged twice', ['approve']],
      ['I2: charges once when the process is killed before the record, and the person settles', ['settle']],
      ['I6: reject ends the run, and the card is not charged again', ['reject']],
      ['I2: takes settle, never approve, where there is no terminal to ask at', []],
    ] as const;

    for (const [title, [answer]] of performances) {
      it(title, async () => {
        start(...(answer === undefined ? [] : ['--answer', answer]));
        await expectNoTrace(0);
        expect(normalise(demo.output)).to.equal(await source(`test/examples/expected/${answer ?? 'no-terminal'}.txt`));
        expect(demo.errors).to.equal('');
      });
    }
  });

  describe('that does not come to its end', () => {
    it('leaves no process and no file when Ctrl-C interrupts it', async () => {
      await start().reached('2. A restart');
      demo.signalGroup('SIGINT');
      await expectNoTrace(130);
      expect(demo.errors).to.equal('');
    });

    it('leaves no process and no file when it is told to end while a process of it starts', async () => {
      await start().reached('1. A refund agent');
      demo.signal('SIGTERM');
      await expectNoTrace(143);
    });

    it('leaves no process and no file when nobody reads its output any more', async () => {
      await start().reached('1. A refund agent');
      demo.stdout.destroy();
      await expectNoTrace(141);
    });

    it('says so, and leaves no process and no file, when a process of it dies', async () => {
      await start().reached('1. A refund agent');
      process.kill(demo.childPid('payment-service.js'), 'SIGKILL');
      await expectNoTrace(1);
      expect(demo.errors).to.match(/^the demo failed: \S/m);
    });

    it('takes its processes with it when it is killed', async () => {
      await start().reached('2. A restart');
      demo.signal('SIGKILL');
      expect(await demo.ended()).to.equal(null);
    });
  });

  describe('asked for something else', () => {
    const mistakes = [
      ['an unknown answer', ['--answer', 'maybe'], 'unknown answer "maybe"'],
      ['an answer that is missing', ['--answer'], '--answer'],
      ['an unknown flag', ['--fast'], '--fast'],
      ['an argument', ['approve'], 'approve'],
    ] as const;

    for (const [what, args, message] of mistakes) {
      it(`refuses ${what}, says what there is, and starts nothing`, async () => {
        start(...args);
        await expectNoTrace(2);
        expect(demo.output).to.equal('');
        expect(demo.errors.split('\n')[0]).to.include(message);
        expect(demo.errors).to.include('--answer approve');
      });
    }

    it('shows its usage on --help', async () => {
      start('--help');
      await expectNoTrace(0);
      expect(demo.output).to.include('--answer approve');
    });
  });
});

describe('examples/01-refund/README.md', () => {
  it('shows what the demo prints', async () => {
    const readme = await source('examples/01-refund/README.md');
    const sample = /```text\n(?<text>.*?)```/su.exec(readme)?.groups?.text ?? '';
    expect(sample).to.include('There are three answers:');
    expect(await source('test/examples/expected/settle.txt')).to.include(normalise(sample));
  });
});
