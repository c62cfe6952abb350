import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { InvalidArgumentError, NotPendingError, UndecodableError } from '../../../core/errors.js';
import { canonicalJson } from '../../../core/model/canonical-json.js';
import type { Approval } from '../../../core/model/approval.js';
import type { Bounded } from '../../../core/model/bounded.js';
import type { Json } from '../../../core/model/json.js';
import type { Client, DecisionOptions } from '../../client.js';
import { EXIT, printJson, storeCommand, thisUser, withClient, type Context, type StoreOptions } from '../command.js';
import { canAsk, confirm } from '../prompt.js';
import { readPrivateKey } from '../keys.js';
import { consequenceOf, READ_TO_SHOW, showApproval } from '../views/approval.js';

interface Options extends StoreOptions {
  readonly hash?: string;
  readonly by?: string;
  readonly note?: string;
  readonly key?: string;
  readonly full?: true;
  readonly result?: string;
}

/** One of the three answers that a person has (contract I6). */
interface Answer {
  readonly verb: 'approve' | 'reject' | 'settle';
  readonly done: string;
  /** What a person enters when settling. */
  readonly result: Json;
}

export function approveCommand(context: Context): Command {
  return decisionCommand('approve', 'Let a request run, once.').action((id: string, options: Options) =>
    decide(context, id, options, {
      verb: 'approve',
      done: 'Approved. The run goes on when it is resumed.',
      result: null,
    }),
  );
}

export function rejectCommand(context: Context): Command {
  return decisionCommand('reject', 'Refuse a request: its run ends.').action((id: string, options: Options) =>
    decide(context, id, options, { verb: 'reject', done: 'Rejected. The run has ended.', result: null }),
  );
}

export function settleCommand(context: Context): Command {
  return decisionCommand('settle', 'Say that an interrupted call took effect, and with what result.')
    .requiredOption('--result <json>', 'what the call came to, as JSON, or @FILE that holds it')
    .action((id: string, options: Options) => {
      const result = resultOf(options.result ?? '');
      return decide(context, id, options, { verb: 'settle', done: 'Settled. The call is not made again.', result });
    });
}

function decisionCommand(verb: Answer['verb'], description: string): Command {
  const result = verb === 'settle' ? ` --result '{"charge":"ch_1"}'` : '';
  return storeCommand(verb, description, `holdpoint ${verb} --store runs.db 0197f0c2${result} --note "I looked"`)
    .argument('<approval>', 'its id')
    .option('--hash <hash>', 'the hash of the request that was shown: do not ask; needed where there is no terminal')
    .option('--by <name>', 'who decides (default: this machine’s user)')
    .option('--note <text>', 'why, for the record')
    .option('--key <file>', 'sign the decision with this private key')
    .option('--full', 'show every field of the request');
}

async function decide(context: Context, id: string, options: Options, answer: Answer): Promise<void> {
  const decision = {
    by: options.by ?? thisUser(),
    ...(options.note === undefined ? {} : { note: options.note }),
    ...(options.key === undefined ? {} : { key: readPrivateKey(options.key) }),
  };
  await withClient(context, options, async (client) => {
    const hash = options.hash ?? (await asked(context, client, id, options, answer));
    if (hash === null) {
      context.terminal.line('Nothing was decided.');
      context.exit(EXIT.refused);
      return;
    }
    const approval = await act(client, id, { ...decision, hash }, answer);
    if (options.json) printJson(context, { approval });
    else context.terminal.line(answer.done);
  });
}

function act(
  client: Client,
  id: string,
  decision: DecisionOptions,
  { verb, result }: Answer,
): Promise<Bounded<Approval>> {
  if (verb === 'approve') return client.approvals.approve(id, decision);
  if (verb === 'reject') return client.approvals.reject(id, decision);
  return client.approvals.settle(id, { ...decision, result });
}

/** Shows the request and asks. What is decided on is what was shown: its hash (contract A2); null if it was not confirmed. */
async function asked(
  context: Context,
  client: Client,
  id: string,
  options: Options,
  { verb, result }: Answer,
): Promise<string | null> {
  const { streams, terminal, clock } = context;
  if (options.json === true || !canAsk(streams)) {
    throw new InvalidArgumentError(
      `there is no terminal to ask at, and nothing was decided; give the hash of the request that you saw: ` +
        `holdpoint ${verb} ${id} --hash HASH (\`holdpoint approvals ${id}\` shows it)`,
    );
  }
  const approval = await client.approvals.get(id, READ_TO_SHOW);
  const run = await client.runs.get(approval.runId);
  showApproval(terminal, approval, run, { now: clock.now(), full: options.full ?? false });
  if (approval.status !== 'pending') throw new NotPendingError(id, approval.status);
  if (approval.decodeError !== null) throw new UndecodableError(run.id, approval.decodeError);
  terminal.line();
  terminal.line({ text: consequenceOf(verb, approval, result), style: 'bold' });
  const question = `Type ${verb} to ${verb}, anything else to leave it as it is:`;
  return (await confirm(streams, question, verb)) ? approval.hash : null;
}

function resultOf(given: string): Json {
  const text = given.startsWith('@') ? readResult(given.slice(1)) : given;
  const result = parsed(given, text);
  canonicalJson(result, '--result');
  return result;
}

function parsed(given: string, text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    // What the parser says quotes the text, which may be a secret.
    const what = given.startsWith('@') ? `what ${given.slice(1)} holds` : 'it';
    throw new InvalidArgumentError(`--result: ${what} is not JSON, and nothing was decided; quote texts: '"done"'`);
  }
}

function readResult(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new InvalidArgumentError(
      `--result: cannot read ${path}, and nothing was decided: ${(error as Error).message}`,
    );
  }
}
