import type { Command } from 'commander';
import { InvalidArgumentError, NotPendingError, UndecodableError } from '../../../core/errors.js';
import { asksForOutcome, type Approval } from '../../../core/model/approval.js';
import type { Bounded } from '../../../core/model/bounded.js';
import type { Json } from '../../../core/model/json.js';
import type { Client, DecisionOptions } from '../../client.js';
import { approversOf, deciderOf } from '../../approver-keys.js';
import {
  collect,
  EXIT,
  printJson,
  storeCommand,
  thisUser,
  withClient,
  type Context,
  type StoreOptions,
} from '../command.js';
import { publicKeysOf, readPrivateKey } from '../keys.js';
import { canAsk, confirm, nobodyToAsk } from '../prompt.js';
import { resultOf } from '../result.js';
import { consequenceOf, READ_TO_SHOW, showApproval } from '../views/approval.js';

interface Options extends StoreOptions {
  readonly hash?: string;
  readonly by?: string;
  readonly note?: string;
  readonly key?: string;
  readonly approver: readonly string[];
  readonly full?: true;
  readonly result?: string;
}

/** One of the three answers that a person has (contract I6). */
interface Answer {
  readonly verb: 'approve' | 'reject' | 'settle';
  readonly past: string;
  /** What follows. */
  readonly then: string;
  /** What a person enters when settling. */
  readonly result: Json;
}

export function approveCommand(context: Context): Command {
  return decisionCommand('approve', 'Let a request run, once.').action((id: string, options: Options) =>
    decide(context, id, options, {
      verb: 'approve',
      past: 'Approved',
      then: 'The run goes on when it is resumed.',
      result: null,
    }),
  );
}

export function rejectCommand(context: Context): Command {
  return decisionCommand('reject', 'Refuse a request: its run ends.').action((id: string, options: Options) =>
    decide(context, id, options, { verb: 'reject', past: 'Rejected', then: 'The run has ended.', result: null }),
  );
}

export function settleCommand(context: Context): Command {
  return decisionCommand('settle', 'Say that an interrupted call took effect, and with what result.')
    .requiredOption('--result <json>', 'what the call came to, as JSON, or @FILE that holds it')
    .action((id: string, options: Options) => {
      const result = resultOf(options.result ?? '');
      return decide(context, id, options, {
        verb: 'settle',
        past: 'Settled',
        then: 'The call is not made again.',
        result,
      });
    });
}

function decisionCommand(verb: Answer['verb'], description: string): Command {
  const result = verb === 'settle' ? ` --result '{"charge":"ch_1"}'` : '';
  return storeCommand(
    verb,
    description,
    `holdpoint ${verb} --store runs.db 01a22aed-e5cc-77cb-923a-8f5e1e7e86c7${result} --note "I looked"`,
  )
    .argument('<approval>', 'its id')
    .option('--hash <hash>', 'the hash of the request that was shown: do not ask; needed where there is no terminal')
    .option('--by <name>', 'who decides (default: this machine’s user)')
    .option('--note <text>', 'why, for the record')
    .option('--key <file>', 'sign the decision with this private key')
    .option('--approver <file>', 'decide only with the key of one of these public keys', collect, [])
    .option('--full', 'show every field of the request, whole');
}

async function decide(context: Context, id: string, options: Options, answer: Answer): Promise<void> {
  const decision = decisionOf(context, options);
  const approvers = publicKeysOf(options.approver);
  // What is wrong with the key is said before anybody is asked.
  deciderOf(decision.key, approversOf(approvers));
  await withClient(context, { ...options, ...(approvers ? { approvers } : {}) }, async (client) => {
    const hash = options.hash ?? (await asked(context, client, id, options, { ...answer, by: decision.by }));
    if (hash === null) {
      context.terminal.line('Nothing was decided.');
      context.exit(EXIT.refused);
      return;
    }
    const approval = await act(client, id, { ...decision, hash }, answer);
    if (options.json) printJson(context, { approval });
    else context.terminal.line(`${answer.past} by ${decision.by}, ${signatureOf(approval)}. ${answer.then}`);
  });
}

function decisionOf({ streams }: Context, { by, note, key }: Options): Omit<DecisionOptions, 'hash'> {
  return {
    by: by ?? thisUser(streams),
    ...(note === undefined ? {} : { note }),
    ...(key === undefined ? {} : { key: readPrivateKey(key) }),
  };
}

function signatureOf({ signer }: Approval): string {
  return signer === null ? 'not signed' : `signed with the key ${signer}`;
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
  { verb, result, by }: Answer & { readonly by: string },
): Promise<string | null> {
  const { streams, terminal } = context;
  const now = context.clock.now();
  const approval = await client.approvals.get(id, READ_TO_SHOW);
  if (options.json === true || !canAsk(streams)) {
    throw new InvalidArgumentError(
      `${nobodyToAsk(options)}, and nothing was decided; give the hash of the request that you saw: ` +
        `holdpoint ${verb} ${id} --hash HASH (\`holdpoint approvals ${id}\` shows it)`,
    );
  }
  const run = await client.runs.get(approval.runId);
  showApproval(terminal, approval, run, { now, full: options.full ?? false });
  if (approval.status !== 'pending') throw new NotPendingError(id, approval.status);
  if (approval.tooLong !== undefined) {
    throw new InvalidArgumentError(
      `approval ${id} is too long to be shown, so nobody is asked, and nothing was decided; ` +
        `read all of it, which \`holdpoint runs export\` writes, then give its hash: holdpoint ${verb} ${id} --hash HASH`,
    );
  }
  if (approval.decodeError !== null) throw new UndecodableError(run.id, approval.decodeError);
  // There is nothing to settle: deciding says so, and asking would only seem to offer it.
  if (verb === 'settle' && !asksForOutcome(approval.kind)) return approval.hash;
  terminal.line();
  terminal.line({ text: consequenceOf(verb, approval, { result, now }), style: 'bold' });
  const question = `Type ${verb} to ${verb} as ${by}, anything else to leave it as it is:`;
  return (await confirm(streams, question, verb)) ? approval.hash : null;
}
