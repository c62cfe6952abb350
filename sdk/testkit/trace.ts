import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import type { Json } from '../../core/model/json.js';
import type { Reached } from './crash-point.js';

/** One call that a tool really got. */
export interface RecordedCall {
  /** 1 for the first process. */
  readonly life: number;
  readonly tool: string;
  readonly stepId: string;
  readonly operationId: string;
  readonly attempt: number;
  readonly args: Json;
  /** How many points were reached before it, in all lives. */
  readonly afterPoints: number;
}

type Call = Omit<RecordedCall, 'afterPoints'>;
type Line = { readonly reached: Reached } | { readonly call: Call };

/** What happened in every life of a scenario. A file, written at once: a killed process leaves it behind. */
export class Trace {
  constructor(private readonly file: string) {}

  reached(point: Reached): void {
    this.#add({ reached: point });
  }

  called(call: Call): void {
    this.#add({ call });
  }

  read(): { readonly points: Reached[]; readonly calls: RecordedCall[] } {
    const text = existsSync(this.file) ? readFileSync(this.file, 'utf8') : '';
    const lines = text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Line);
    const points: Reached[] = [];
    const calls: RecordedCall[] = [];
    for (const line of lines) {
      if ('reached' in line) points.push(line.reached);
      else calls.push({ ...line.call, afterPoints: points.length });
    }
    return { points, calls };
  }

  #add(line: Line): void {
    appendFileSync(this.file, `${JSON.stringify(line)}\n`);
  }
}

/**
 * What happened, life by life: `life 1: step 0 run.started; step 1 step.started, step.decided, and died`.
 *
 * @param crashes those that were reached
 */
export function livesOf(points: readonly Reached[], crashes: readonly { readonly life: number }[]): string {
  const lives = [...new Set(points.map(({ life }) => life))];
  return lives
    .map((life) => {
      const died = crashes.some((crash) => crash.life === life) ? ', and died' : '';
      return `life ${life}: ${stepsOf(points.filter((point) => point.life === life))}${died}`;
    })
    .join('\n');
}

function stepsOf(points: readonly Reached[]): string {
  const steps = [...new Set(points.map(({ step }) => step))];
  return steps
    .map((step) => {
      const names = points.filter((point) => point.step === step).flatMap((point) => point.names);
      return `step ${step} ${names.join(', ')}`;
    })
    .join('; ');
}
