import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { Clock } from '../core/clock.js';
import { defineAgents } from '../core/definition/agents.js';
import type { AgentDefinition, Class } from '../core/definition/definition.js';
import { Engine, type Observer } from '../core/engine/engine.js';
import type { Provide } from '../core/engine/instances.js';
import type { Probe } from '../core/engine/probe.js';
import { InvalidArgumentError } from '../core/errors.js';
import { uuidV7, type Ids } from '../core/ids.js';
import { Heartbeat } from '../core/lease/heartbeat.js';
import type { Limits } from '../core/model/limits.js';
import { defaultPolicy, type Policy } from '../core/model/policy.js';
import type { ToolSpec } from '../core/model/tool.js';
import type { StoreLocation } from '../core/store/location.js';
import { recordSpecs } from '../core/store/specs.js';
import { Store } from '../core/store/store.js';
import { approversOf, type ApproverKey } from './approver-keys.js';
import * as check from './arguments.js';

/** How this process holds the runs that it executes (contract L1–L3). */
export interface LeaseOptions {
  /** How long a lease lasts without renewal, in milliseconds: 100 to 86400000, default 30000. A restarted process waits it out. */
  readonly ttlMs?: number;
  /** What the owner is called; a random suffix is added. Default the host's name and the process id. */
  readonly owner?: string;
}

/** What a runtime is opened with. */
export interface RuntimeOptions {
  /** A path (created if need be), `:memory:`, or TypeORM's options of a `better-sqlite3` DataSource. */
  readonly store: StoreLocation;
  /** The agents that it can execute. */
  readonly agents: readonly Class[];
  /** Makes an agent's or a tool's instance, e.g. out of a container. Default `new cls()`. */
  readonly provide?: Provide;
  /** Decides whether a request runs. Default `defaultPolicy` (contract P2). */
  readonly policy?: Policy;
  /** Limits of every run that it or its client creates, over the defaults (contract P5). */
  readonly limits?: Partial<Limits>;
  readonly lease?: LeaseOptions;
  /** Is told of every event that this process commits, after its commit. Its faults change nothing (contract S4). */
  readonly observer?: Observer;
  /** How long a question may wait for a person, in milliseconds; default for ever (contract A5). */
  readonly approvalTtlMs?: number;
  /** How long a grant may wait for a resume, in milliseconds; default for ever (contract A5). */
  readonly grantTtlMs?: number;
  /**
   * Ed25519 public keys. A run then goes on only with decisions that are signed with one of them (contract A7); default:
   * signatures are not asked for.
   */
  readonly approvers?: readonly ApproverKey[];
  /** For tests; default the machine's. */
  readonly clock?: Clock;
  /** For tests; default UUID v7. */
  readonly ids?: Ids;
}

const OPTIONS = [
  'store',
  'agents',
  'provide',
  'policy',
  'limits',
  'lease',
  'observer',
  'approvalTtlMs',
  'grantTtlMs',
  'approvers',
  'clock',
  'ids',
];
const DEFAULT_TTL_MS = 30_000;
const MIN_TTL_MS = 100;
const MAX_TTL_MS = 86_400_000;

/** What executes the runs of a runtime, and the limits that they have unless told otherwise. */
export interface OpenedEngine {
  readonly engine: Engine;
  readonly limits: Limits;
}

/** What only the testkit sets. */
export interface Testing {
  readonly probe: Probe;
  /** Instead of a random one, so that two lives of a scenario can be compared. Its clock stands still: no heartbeat. */
  readonly ownerSuffix: string;
}

/**
 * Checks the options, opens the store and brings it to this version's schema.
 *
 * @throws DefinitionError, InvalidArgumentError: before anything is opened
 * @throws StoreError, SchemaVersionError, InsecureStoreError, UnsafeSchemaError
 */
export async function openEngine(options: RuntimeOptions, testing?: Testing): Promise<OpenedEngine> {
  const { location, clock, ids, name, ttlMs, limits, ...rest } = checkedOptions(options);
  const store = await Store.open({ location, create: true, clock, ids });
  try {
    await recordSpecs(store, specsOf(rest.agents));
  } catch (error) {
    await store.close();
    throw error;
  }
  const owner = `${name}-${testing?.ownerSuffix ?? randomSuffix()}`;
  const heartbeat = new Heartbeat(store, owner, ttlMs, testing === undefined);
  return { engine: new Engine({ ...rest, store, heartbeat, probe: testing?.probe ?? null }), limits };
}

function checkedOptions(options: RuntimeOptions) {
  const given = check.members(options, 'options', OPTIONS) as unknown as RuntimeOptions;
  const { provide, policy = defaultPolicy, observer, lease = {}, ids = uuidV7 } = given;
  for (const [name, value] of Object.entries({ provide, policy, observer, ids })) {
    if (value !== undefined && typeof value !== 'function')
      throw new InvalidArgumentError(`${name} must be a function`);
  }
  if (!Array.isArray(given.agents)) throw new InvalidArgumentError('agents must be a list of agent classes');
  return {
    location: given.store,
    agents: defineAgents(given.agents, { provided: provide !== undefined }),
    provide: provide ?? construct,
    policy,
    observer: observer ?? null,
    limits: check.limits(given.limits),
    ...leaseOptions(lease),
    approvalTtlMs: check.optionalMs(given.approvalTtlMs, 'approvalTtlMs'),
    grantTtlMs: check.optionalMs(given.grantTtlMs, 'grantTtlMs'),
    approvers: approversOf(given.approvers),
    clock: check.clock(given.clock),
    ids,
  };
}

function leaseOptions(lease: unknown): { readonly ttlMs: number; readonly name: string } {
  const { ttlMs = DEFAULT_TTL_MS, owner } = check.members(lease, 'lease', ['ttlMs', 'owner']);
  return {
    ttlMs: check.integer(ttlMs, 'lease.ttlMs', MIN_TTL_MS, MAX_TTL_MS),
    name: owner === undefined ? `${hostname()}-${process.pid}` : check.id(owner, 'lease.owner'),
  };
}

/** Drawn for each runtime, so that no two share a lease (contract L2). */
function randomSuffix(): string {
  return randomBytes(6).toString('hex');
}

function construct(cls: Class): object {
  return new (cls as unknown as new () => object)();
}

function specsOf(agents: ReadonlyMap<string, AgentDefinition>): Map<string, ToolSpec> {
  const tools = [...agents.values()].flatMap((agent) => [...agent.tools.values()]);
  return new Map(tools.map(({ specHash, spec }) => [specHash, spec]));
}
