/** The tables of the documentation list what the sources have: every event, error, limit and option. */
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { DEFAULT_LIMITS } from 'holdpoint';
import { CrashPoint } from 'holdpoint/testkit';
import { EVENT_TYPES } from '../../core/model/event.js';
import { page, ROOT, rowsOf } from './pages.js';

/** The names in backticks that stand in the first cell of the tables of a page. */
function firstCells(path: string): string[] {
  return rowsOf(page(path)).flatMap(([first = '']) => [...first.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name));
}

/** The members of an interface, as its source declares them. */
function membersOf(path: string, name: string): string[] {
  const source = ts.createSourceFile(path, readFileSync(join(ROOT, path), 'utf8'), ts.ScriptTarget.Latest);
  const declared = source.statements.find((node) => ts.isInterfaceDeclaration(node) && node.name.text === name);
  const members = declared && ts.isInterfaceDeclaration(declared) ? [...declared.members] : [];
  return members.map((member) => (member.name && ts.isIdentifier(member.name) ? member.name.text : '?'));
}

/** The errors that core declares, each as its row begins. */
function errors(): string[][] {
  const source = readFileSync(join(ROOT, 'core/errors.ts'), 'utf8');
  const declared = source.matchAll(/export class (\w+) extends HoldpointError \{\n {2}readonly code = '(\w+)';/g);
  return [...declared].map(([, name = '', code = '']) => [`\`${code}\``, `\`${name}\``]);
}

describe('the tables of the documentation', () => {
  it('list every type of event', () => {
    const { text } = page('docs/events.md');
    const reserved = text.slice(text.indexOf('## Reserved'));
    const written = EVENT_TYPES.filter((type) => !reserved.includes(`\`${type}\``));
    expect(firstCells('docs/events.md')).to.include.members(written);
  });

  it('list every error with its code, but for the two that tools throw', () => {
    const rows = rowsOf(page('README.md')).map(([code, name]) => [code, name]);
    const forTools = ['`ABORT_RUN`', '`OUTCOME_UNKNOWN`'];
    expect(errors()).to.have.length.above(15);
    expect(rows).to.deep.include.members(errors().filter(([code = '']) => !forTools.includes(code)));
    for (const code of forTools) expect(page('README.md').text).to.include(code);
  });

  it('list every crash point with its name', () => {
    const rows = rowsOf(page('docs/testing-your-agent.md')).map(([point, name]) => [point, name]);
    const points = Object.entries(CrashPoint).map(([point, name]) => [`\`${point}\``, `\`${name}\``]);
    expect(rows).to.deep.include.members(points);
  });

  it('list every limit with its default', () => {
    const rows = rowsOf(page('README.md')).map(([name, value]) => [name, value]);
    const limits = Object.entries(DEFAULT_LIMITS).map(([name, max]) => [`\`${name}\``, String(max ?? 'none')]);
    expect(rows).to.deep.include.members(limits);
  });

  it('list every option of Runtime.open', () => {
    const options = membersOf('sdk/runtime-options.ts', 'RuntimeOptions').filter((name) => name !== 'lease');
    const lease = membersOf('sdk/runtime-options.ts', 'LeaseOptions').map((name) => `lease.${name}`);
    expect(options).to.include.members(['store', 'agents']);
    expect(firstCells('README.md')).to.include.members([...options, ...lease]);
  });

  it('list every option of @Tool, and what tools and policies are told', () => {
    const named = firstCells('docs/guide.md');
    for (const [path, name] of [
      ['decorators/tool.ts', 'ToolOptions'],
      ['core/model/call.ts', 'ToolCall'],
      ['core/model/agent.ts', 'StepInput'],
      ['core/model/policy.ts', 'PolicyRequest'],
    ] as const) {
      const members = membersOf(path, name);
      expect(members, name).to.have.length.above(3);
      expect(named, name).to.include.members(members);
    }
  });
});
