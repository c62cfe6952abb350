import { createInterface } from 'node:readline';
import type { Streams } from './terminal.js';

/** Whether a person can be asked: both what they type and what they see is a terminal. */
export function canAsk({ input, output }: Streams): boolean {
  return input.isTTY && output.isTTY;
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
