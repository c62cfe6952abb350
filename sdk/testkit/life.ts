import { ManualClock } from '../../core/clock.js';
import { resume } from '../../core/engine/resume.js';
import { start } from '../../core/engine/start.js';
import { HoldpointError } from '../../core/errors.js';
import { startRequest } from '../client.js';
import { openEngine, type OpenedEngine } from '../runtime-options.js';
import { isAt, type Crash } from './crash-point.js';
import type { Scenario } from './scenario.js';
import type { Trace } from './trace.js';
import { witnessing } from './witness.js';

/** The run of every scenario. */
export const RUN_ID = 'scenario';
/** Its leases' length; its clock stands still, so no heartbeat ever renews one. */
export const TTL_MS = 1_000;

/** One life of a process: what it does, and where it dies. */
export interface LifePlan {
  /** 1 for the first. */
  readonly life: number;
  readonly store: string;
  /** What its clock shows, in epoch milliseconds. */
  readonly now: number;
  readonly crash: Crash | null;
}

/** How a life ended. */
export type LifeEnd =
  | { readonly kind: 'crashed' }
  /** The run paused or ended. */
  | { readonly kind: 'returned' }
  | { readonly kind: 'threw'; readonly code: string; readonly message: string };

/**
 * Lives one life: starts the run, or resumes it in every life but the first.
 *
 * @param die called when the crash's point is reached; nothing of the loop goes on after it
 * @param gone settles when nobody waits for this life any more: it dies where it is
 */
export async function live(
  scenario: Scenario,
  trace: Trace,
  plan: LifePlan,
  die: (opened: OpenedEngine) => Promise<LifeEnd>,
  gone = new Promise<unknown>(() => undefined),
): Promise<LifeEnd> {
  let left = plan.crash?.occurrence ?? 1;
  let dying: (end: Promise<LifeEnd>) => void = () => undefined;
  const crashed = new Promise<LifeEnd>((resolve) => (dying = resolve));
  const opened = await openEngine(optionsOf(scenario, trace, plan), {
    ownerSuffix: `${plan.life}`,
    probe: (names, step) => {
      trace.reached({ life: plan.life, step, names });
      if (!plan.crash || !isAt(plan.crash, { step, names }) || (left -= 1) > 0) return undefined;
      dying(die(opened));
      return new Promise<never>(() => undefined);
    },
  });
  try {
    const end = await Promise.race([crashed, act(scenario, opened, plan), gone.then(() => die(opened))]);
    if (end.kind !== 'crashed') await closeAll(opened);
    return end;
  } catch (error) {
    await closeAll(opened);
    throw error;
  }
}

/** What dies with a process: its connections and its heartbeat. Its lease stays. */
export async function abandon({ engine }: OpenedEngine): Promise<void> {
  await engine.options.heartbeat.close();
  await engine.store.close();
}

async function closeAll(opened: OpenedEngine): Promise<void> {
  await opened.engine.close();
  await abandon(opened);
}

async function act(scenario: Scenario, { engine, limits }: OpenedEngine, { life }: LifePlan): Promise<LifeEnd> {
  try {
    if (life > 1) await resume(engine, RUN_ID);
    else {
      const request = startRequest({ goal: scenario.goal, id: RUN_ID }, engine.store, limits);
      await start(engine, { ...request, agent: agentName(scenario, engine.options.agents) });
    }
    return { kind: 'returned' };
  } catch (error) {
    if (!(error instanceof HoldpointError)) throw error;
    return { kind: 'threw', code: error.code, message: error.message };
  }
}

function agentName({ agent }: Scenario, agents: OpenedEngine['engine']['options']['agents']): string {
  if (typeof agent === 'string') return agent;
  for (const { name, cls } of agents.values()) if (cls === agent) return name;
  return agent.name;
}

function optionsOf(scenario: Scenario, trace: Trace, { life, store, now }: LifePlan) {
  const { agents, policy, limits, approvalTtlMs, grantTtlMs, observer } = scenario;
  let drawn = 0;
  return {
    store,
    agents,
    provide: witnessing(scenario, (call) => {
      trace.called({ life, ...call });
    }),
    lease: { ttlMs: TTL_MS, owner: 'scenario' },
    clock: new ManualClock(now),
    ids: () => `id-${life}-${(drawn += 1)}`,
    ...(policy ? { policy } : {}),
    ...(limits ? { limits } : {}),
    ...(approvalTtlMs === undefined ? {} : { approvalTtlMs }),
    ...(grantTtlMs === undefined ? {} : { grantTtlMs }),
    ...(observer ? { observer } : {}),
  };
}
