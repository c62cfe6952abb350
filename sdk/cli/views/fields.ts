import type { Json } from '../../../core/model/json.js';
import { count, fieldsOf } from '../format.js';
import type { Terminal } from '../terminal.js';

/** A value with its size, one field a line; at most `max` of them. */
export function showFields(terminal: Terminal, name: string, value: Json, max: number): void {
  const { facts, hidden } = fieldsOf(value, max);
  const [first] = facts;
  if (facts.length === 1 && first?.[0] === '' && (first[1] === '{}' || first[1] === '[]')) {
    terminal.facts([[name, 'none']], 1);
    return;
  }
  if (facts.length === 1 && first?.[0] === '') {
    terminal.facts([[name, first[1]]], 1);
    return;
  }
  const size = `${count(facts.length + hidden, 'field')}, ${count(JSON.stringify(value).length, 'character')}`;
  terminal.line(`${name} (${size})`, 1);
  terminal.facts(facts, 2);
  if (hidden === 0) return;
  terminal.line({ text: `${count(hidden, 'more field')} not shown here; --full shows all`, style: 'yellow' }, 2);
}
