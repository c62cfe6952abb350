/**
 * Mocha's spec reporter, and one last line for machines: `12 passed, 0 failed`.
 *
 * - The line is written as the process exits, so that nothing of a test comes after it.
 * - A process that exits before the last test, or dies after it, has failed whatever mocha counted.
 * - A rejection that nobody handles is a failure: it would end a real process, and mocha 12 swallows it.
 */
import Mocha from 'mocha';

export default class Reporter extends Mocha.reporters.Spec {
  private counted: number | undefined;
  private readonly lost = new Set<unknown>();

  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    process.on('unhandledRejection', this.loseRejection);
    process.on('exit', this.conclude);
  }

  override done(failures: number, report: (failures: number) => void): void {
    this.counted = failures;
    report(failures);
    // Mocha's own exit listener overwrites the exit code; ours has to come after it.
    process.off('exit', this.conclude).on('exit', this.conclude);
  }

  private readonly loseRejection = (reason: unknown): void => {
    // Mocha emits each of them a second time.
    if (this.lost.has(reason)) return;
    this.lost.add(reason);
    const during = this.runner.currentRunnable?.fullTitle() ?? 'the run';
    console.error(`a rejection that nobody handled, during "${during}":`, reason);
  };

  private readonly conclude = (code: number): void => {
    const failures = (this.counted ?? this.stats.failures + 1) + this.lost.size;
    const failed = code === 0 ? failures : Math.max(failures, 1);
    process.stdout.write(`${this.stats.passes} passed, ${failed} failed\n`);
    process.exitCode = failed === 0 ? 0 : 1;
  };
}
