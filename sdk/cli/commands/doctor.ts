import { lstatSync } from 'node:fs';
import type { Command } from 'commander';
import { diagnose } from '../../../core/engine/diagnose.js';
import type { Finding } from '../../../core/engine/finding.js';
import { HoldpointError, InvalidArgumentError } from '../../../core/errors.js';
import type { Approvers } from '../../../core/model/decision-signature.js';
import { Store } from '../../../core/store/store.js';
import { approversOf } from '../../approver-keys.js';
import { collect, EXIT, printJson, storeCommand, storeOf, type Context, type StoreOptions } from '../command.js';
import { publicKeysOf } from '../keys.js';
import type { Styled } from '../terminal.js';

interface Options extends StoreOptions {
  readonly approver: readonly string[];
}

const STYLES: Readonly<Record<Finding['level'], Styled['style']>> = { ok: 'green', note: 'yellow', problem: 'red' };
const READABLE_BY_OTHERS = 0o044;

export function doctorCommand(context: Context): Command {
  return storeCommand(
    'doctor',
    'Look at the store: is it safe, is it sound, does anything in it need somebody?',
    'holdpoint doctor --store runs.db --approver ann.key.pub',
  )
    .option('--approver <file>', 'a public key whose decisions are accepted; may be given more than once', collect, [])
    .action((options: Options) => doctor(context, options));
}

async function doctor(context: Context, options: Options): Promise<void> {
  const keys = publicKeysOf(options.approver);
  const approvers = approversOf(keys);
  const findings = await examine(storeOf(context, options), approvers);
  if (findings.some(({ level }) => level === 'problem')) context.exit(EXIT.refused);
  if (options.json) printJson(context, { findings });
  else print(context, findings);
}

async function examine(file: string, approvers: Approvers | null): Promise<Finding[]> {
  let store: Store;
  try {
    store = await Store.open({ location: file, create: false });
  } catch (error) {
    if (!(error instanceof HoldpointError) || error instanceof InvalidArgumentError) throw error;
    // It says what to do.
    return [{ level: 'problem', about: 'file', message: error.message, advice: null, ids: [] }];
  }
  try {
    const schema: Finding = { level: 'ok', about: 'schema', message: 'of this version', advice: null, ids: [] };
    return [mode(store.database), schema, ...(await diagnose(store, approvers))];
  } finally {
    await store.close();
  }
}

function mode(path: string): Finding {
  const bits = lstatSync(path).mode & 0o777;
  const octal = bits.toString(8).padStart(4, '0');
  if (process.platform === 'win32' || (bits & READABLE_BY_OTHERS) === 0) {
    return { level: 'ok', about: 'file', message: `its owner's only (mode ${octal})`, advice: null, ids: [] };
  }
  const message = `readable by others (mode ${octal}): it holds what tools are called with`;
  return { level: 'problem', about: 'file', message, advice: `chmod 600 '${path}' and what lies beside it`, ids: [] };
}

function print({ terminal }: Context, findings: readonly Finding[]): void {
  const width = Math.max(...findings.map(({ about }) => about.length));
  for (const { level, about, message, advice, ids } of findings) {
    terminal.line({ text: `${level.padEnd(7)}  ${about.padEnd(width)}  ${message}`, style: STYLES[level] });
    for (const id of ids) terminal.line(id, 6);
    if (advice !== null) terminal.line(`to do: ${advice}`, 5);
  }
}
