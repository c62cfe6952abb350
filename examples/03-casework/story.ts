/** The three scenes. Each has a case, an account and a run of its own. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Approval, Client, Json, Run, Runtime } from 'holdpoint';
import { CaseworkAgent } from './casework-agent.js';
import type { Child } from './child.js';
import type { FromApplication } from './messages.js';
import { openOffice, resumeWhenFree, type Places } from './office.js';
import { RemoteAccounts } from './remote-accounts.js';
import type { Screen } from './screen.js';

/** What the scenes need. */
export interface Stage extends Places {
  readonly screen: Screen;
  readonly application: Child<FromApplication>;
  /** Starts an agent process that resumes this run. */
  readonly worker: (run: string) => Child<never>;
}

export async function appliedOnce(stage: Stage): Promise<void> {
  stage.screen.scene('Case C-101: proposed, approved, applied');
  await using runtime = await openOffice(stage, 'office');
  const asked = await propose(runtime, 'C-101', stage.screen);
  await approve(runtime.client, asked, stage.screen);
  await showEnd(await runtime.resume(asked.runId), 'A-17', stage);
}

export async function tooOld(stage: Stage): Promise<void> {
  const goodForMs = 200;
  stage.screen.scene('Case C-102: a grant that grew too old');
  await using runtime = await openOffice(stage, 'office', goodForMs);
  const asked = await propose(runtime, 'C-102', stage.screen);
  await approve(runtime.client, asked, stage.screen);
  const { decidedAt } = await runtime.client.approvals.get(asked.id);
  await delay((decidedAt ?? 0) + goodForMs - Date.now() + 1);
  stage.screen.fact('meanwhile', 'a grant is good for 0.2 s here, and the run is resumed later than that');
  await showEnd(await runtime.resume(asked.runId), 'A-18', stage);
}

export async function killed(stage: Stage): Promise<void> {
  const { screen, application } = stage;
  screen.scene('Case C-103: killed after the change was applied');
  await using runtime = await openOffice(stage, 'office');
  const asked = await propose(runtime, 'C-103', screen);
  await approve(runtime.client, asked, screen);
  application.send('silence');
  const worker = stage.worker(asked.runId);
  await application.next('silent');
  await worker.kill();
  screen.fact('the agent', 'is killed with SIGKILL: the change is applied, and its answer never came');
  const [, step] = await runtime.client.runs.steps(asked.runId);
  screen.fact('the record', `${step?.tool} is ${step?.status}, attempt ${step?.attempt}, no outcome`);
  const run = await resumeWhenFree(runtime, asked.runId);
  screen.fact('a restart', await outcomeOf(runtime.client, run));
  await showEnd(run, 'A-19', stage);
}

/** Starts the run, which pauses on the change that it proposes, and shows that to the person. */
async function propose(runtime: Runtime, id: string, screen: Screen): Promise<Approval> {
  const { id: runId } = await runtime.start(CaseworkAgent, { goal: `work on case ${id}` });
  const [asked] = await runtime.client.approvals.list({ runId, status: 'pending' });
  if (!asked) throw new Error('the agent proposed nothing');
  screen.fact('proposed', `${asked.request.tool.name} (${asked.kind})`);
  const { account, before, after } = asked.presentation;
  for (const [name, value] of Object.entries({ account, before, after })) screen.fact(`  ${name}`, textOf(value));
  return asked;
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}

/** The hash is that of what was shown: another request is not approved by this. */
async function approve(client: Client, { id, hash }: Approval, screen: Screen): Promise<void> {
  const { decidedBy, status } = await client.approvals.approve(id, { hash, by: 'dana' });
  screen.fact('decided', `${status} by ${decidedBy}`);
}

async function outcomeOf(client: Client, { id }: Run): Promise<string> {
  const [, step] = await client.runs.steps(id);
  const found = step?.observation?.kind === 'result' && step.observation.recovered === true;
  return found ? 'looks the operation up, finds the change, and does not ask for it again' : 'found nothing';
}

async function showEnd({ status, reason }: Run, account: string, { url, screen }: Stage): Promise<void> {
  const { address, requests, applied } = await new RemoteAccounts(url).account(account);
  screen.fact('the run', `${status}, ${reason}`);
  screen.fact('the account', address);
  screen.fact('application', `requests: ${requests}, changes applied: ${applied}`);
}
