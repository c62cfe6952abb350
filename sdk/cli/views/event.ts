import type { Bounded } from '../../../core/model/bounded.js';
import type { RunEvent } from '../../../core/model/event.js';
import { absolute, abbreviated, plain, tooLongOf } from '../format.js';
import type { Terminal } from '../terminal.js';

/** An event as one line: its place, its time, what happened, and with what. */
export function showEvent(terminal: Terminal, event: Bounded<RunEvent>): void {
  const place = plain(event.index).padStart(4);
  const type = plain(event.type).padEnd(18);
  terminal.line(`${place}  ${absolute(event.at)}  ${type}  ${payloadOf(event)}`);
}

function payloadOf({ payload, decodeError, tooLong }: Bounded<RunEvent>): string {
  if (decodeError !== null) return `damaged: ${decodeError}`;
  return tooLong === undefined ? abbreviated(JSON.stringify(payload)) : tooLongOf(tooLong);
}
