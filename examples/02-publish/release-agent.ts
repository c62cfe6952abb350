/**
 * The agent that publishes a release, its two tools and its policy: what an application of yours would hold.
 *
 * Neither tool calls a system that takes an idempotency key. So each brings a reconciliation that looks at the world
 * outside: the push asks the remote where the branch stands, the change request is searched for by its marker.
 */
import { Matches } from 'class-validator';
import {
  Agent,
  allow,
  callTool,
  complete,
  defaultPolicy,
  fail,
  Reconcile,
  Reconciliation,
  Tool,
  type Decision,
  type InterruptedCall,
  type Policy,
  type Step,
  type StepInput,
  type ToolCall,
} from 'holdpoint';
import { marker, type ChangeRequest, type ChangeRequests } from './change-requests.js';
import type { Remote } from './remote.js';

const COMMIT = /^[0-9a-f]{40}$/;
/** Release branches and no others: what the agent may touch is decided here, not by what a goal says. */
const BRANCH = /^release\/[0-9]+(\.[0-9]+)*$/;

export type Pushed = { readonly branch: string; readonly commit: string };

export class PushInput {
  @Matches(BRANCH)
  branch!: string;

  @Matches(COMMIT)
  commit!: string;
}

@Tool(false, { description: 'Push a commit as a release branch', effect: 'remote', timeoutMs: 10_000 })
export class PushBranch {
  constructor(private readonly remote: Remote) {}

  async execute({ branch, commit }: PushInput, call: ToolCall): Promise<Pushed> {
    await this.remote.push(branch, commit, call.signal);
    return { branch, commit };
  }

  @Reconcile()
  async askTheRemote({ branch, commit }: PushInput): Promise<Reconciliation> {
    const stands = await this.remote.commitOf(branch);
    if (stands === commit) return Reconciliation.complete({ branch, commit });
    // Sound even if the first push still arrives: to push the same commit twice is to push it once.
    if (stands === null) return Reconciliation.continue(`the remote has no branch ${branch}`);
    // Somebody else moved it, before the push or after. Whatever is right now, pushing again is not.
    return Reconciliation.conflict(`${branch} stands at ${stands}, and ${commit} was to be pushed`);
  }
}

export class OpenInput {
  @Matches(BRANCH)
  branch!: string;

  @Matches(/\S/)
  title!: string;
}

@Tool(false, { description: 'Open a change request for a branch', effect: 'remote', timeoutMs: 10_000 })
export class OpenChangeRequest {
  constructor(private readonly changeRequests: ChangeRequests) {}

  /**
   * The operation id is the same in every process and for every attempt, so the marker is too: a re-run that a person
   * has approved finds what the first attempt opened, and opens no other.
   */
  async execute({ branch, title }: OpenInput, call: ToolCall): Promise<ChangeRequest> {
    const body = marker(call.operationId);
    const [found] = await this.changeRequests.containing(body);
    return found ?? this.changeRequests.open({ branch, title, body }, call.signal);
  }

  @Reconcile()
  async findTheMarker(_input: OpenInput, call: InterruptedCall): Promise<Reconciliation> {
    const [found, another] = await this.changeRequests.containing(marker(call.operationId));
    if (another) return Reconciliation.conflict('two change requests carry the marker of this one operation');
    if (found) return Reconciliation.complete(found);
    // Sound after a crash only: the forge writes before it answers, and the lease of the dead process has run out since.
    // After a timeout, the request may still be on its way.
    if (call.cause === 'crash') return Reconciliation.continue('no change request carries the marker');
    return Reconciliation.wait({ presentation: { seen: 'no change request carries the marker' } });
  }
}

@Agent({ name: 'releases', description: 'Publishes release branches', tools: [PushBranch, OpenChangeRequest] })
export class ReleaseAgent {
  decide({ run, steps }: StepInput): Decision {
    const [, commit, branch] = /^publish (\S+) as (\S+)$/.exec(run.goal) ?? [];
    if (commit === undefined || branch === undefined) return fail('the goal names no commit and branch');

    // What was interrupted may be asked for again; what was refused may not.
    const refused = steps.map(({ observation }) => observation).find((seen) => seen && !GOES_ON.has(seen.kind));
    if (refused) return fail(`a step came to nothing: ${refused.kind}`);

    if (!resultOf<Pushed>(steps, 'push_branch')) return callTool(PushBranch, { branch, commit });
    const opened = resultOf<ChangeRequest>(steps, 'open_change_request');
    if (!opened) return callTool(OpenChangeRequest, { branch, title: `Publish ${branch}` });
    return complete({ branch, commit, changeRequest: opened.number });
  }
}

const GOES_ON: ReadonlySet<string> = new Set(['result', 'interrupted']);

export function goalOf({ branch, commit }: Pushed): string {
  return `publish ${commit} as ${branch}`;
}

/** What a tool has returned in this run; a result that was recovered counts alike. */
function resultOf<Result>(steps: readonly Step[], tool: string): Result | undefined {
  for (const { tool: called, observation } of steps) {
    if (called === tool && observation?.kind === 'result') return observation.result as Result;
  }
  return undefined;
}

/** Both tools run unasked: their inputs admit nothing but release branches. */
export const releasePolicy: Policy = (request, run) =>
  ['push_branch', 'open_change_request'].includes(request.tool.name) ? allow() : defaultPolicy(request, run);
