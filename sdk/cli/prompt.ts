import { createInterface } from 'node:readline';
import type { Streams } from './terminal.js';

/** Whether a person can be asked: both what they type and what they see is a terminal. */
export function canAsk({ input, output }: Streams): boolean {
  return input.isTTY && output.isTTY;
}

/** Why nobody is asked. */
export function nobodyToAsk({ json }: { readonly json?: true }): string {
  return json ? 'with --json nothing is asked' : 'there is no terminal to ask at';
}

/** Whether a person typed exactly this word. The end of the input is never a yes. */
export async function confirm({ input, output }: Streams, question: string, word: string): Promise<boolean> {
  const lines = createInterface({ input, output });
  try {
    return await new Promise<boolean>((resolve) => {
      lines.once('close', () => {
        resolve(false);
      });
      lines.question(`${question} `, (answer) => {
        resolve(answer.trim() === word);
      });
    });
  } finally {
    lines.close();
  }
}
