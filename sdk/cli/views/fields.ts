import type { Json } from '../../../core/model/json.js';
import { count, fieldsOf } from '../format.js';
import type { Terminal } from '../terminal.js';

/** How many fields are shown unless all are asked for. */
const FIELDS = 100;

/** A value with its size, one field a line. */
export function showFields(terminal: Terminal, name: string, value: Json, full: boolean): void {
  const { facts, hidden, shortened } = fieldsOf(value, FIELDS, full);
  const [first] = facts;
  if (facts.length === 1 && first?.[0] === '') {
    const text = first[1] === '{}' || first[1] === '[]' ? 'none' : first[1];
    terminal.facts([[name, text]], 1);
  } else {
    const size = `${count(facts.length + hidden, 'field')}, ${count(JSON.stringify(value).length, 'character')}`;
    terminal.line(`${name} (${size})`, 1);
    terminal.facts(facts, 2);
  }
  if (hidden > 0) tell(terminal, `${count(hidden, 'more field')} not shown here`);
  if (shortened > 0) tell(terminal, `${count(shortened, 'field')} shown by head and tail`);
}

function tell(terminal: Terminal, what: string): void {
  terminal.line({ text: `${what}; --full shows all`, style: 'yellow' }, 2);
}
