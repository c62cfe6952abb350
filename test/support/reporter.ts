/**
 * Mocha's spec reporter, and one last line for machines: `12 passed, 0 failed`.
 *
 * - The line is written as the process exits, so that nothing of a test comes after it.
 * - A process that exits before the last test, or dies after it, has failed whatever mocha counted.
 */
import Mocha from 'mocha';

export default class Reporter extends Mocha.reporters.Spec {
  private counted: number | undefined;

  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    process.on('exit', this.conclude);
  }

  override done(failures: number, report: (failures: number) => void): void {
    this.counted = failures;
    report(failures);
    // Mocha's own exit listener overwrites the exit code; ours has to come after it.
    process.off('exit', this.conclude).on('exit', this.conclude);
  }

  private readonly conclude = (code: number): void => {
    const failures = this.counted ?? this.stats.failures + 1;
    const failed = code === 0 ? failures : Math.max(failures, 1);
    process.stdout.write(`${this.stats.passes} passed, ${failed} failed\n`);
    process.exitCode = failed === 0 ? 0 : 1;
  };
}
