import { RunExistsError } from '../errors.js';
import { GENESIS_HASH } from '../model/event.js';
import { createRun, startRun, type RunRequest } from '../model/moves/start.js';
import type { Run } from '../model/run.js';
import { newRunRow } from '../store/encode.js';
import { loadState } from '../store/reads.js';
import type { Store } from '../store/store.js';
import type { Sql } from '../store/table.js';
import { write, type Committed } from '../store/transition.js';
import type { Engine } from './engine.js';
import { Instances } from './instances.js';
import { drive } from './loop.js';
import { Session } from './session.js';

/**
 * Creates a run that nobody executes yet.
 *
 * @throws RunExistsError if its id is taken
 */
export function create(store: Store, request: RunRequest): Promise<Committed> {
  return store.transaction((sql) => insertRun(store, sql, request, store.clock.now()));
}

/** Creates a run and executes it until it pauses or ends. It is created and leased in one transaction (contract L1). */
export function start(engine: Engine, request: RunRequest): Promise<Run> {
  return engine.exclusively(request.id, async () => {
    const agent = engine.agent(request.agent);
    const instances = new Instances(engine.options.provide);
    await instances.of(agent.cls);
    const sent = engine.store.clock.monotonic();
    const { state, events } = await createLeased(engine, request);
    const session = new Session(engine, agent, instances, state, []);
    session.keep(state.run, sent);
    engine.notify(events);
    return drive(session, () => session.reached(events.map(({ type }) => type)));
  });
}

function createLeased({ store, options }: Engine, request: RunRequest): Promise<Committed> {
  return store.transaction(async (sql) => {
    const at = store.clock.now();
    const created = await insertRun(store, sql, request, at);
    const change = startRun(created.state, options.heartbeat.lease(at), at);
    const started = await write(store, sql, created.state, change, at);
    return { ...started, events: [...created.events, ...started.events] };
  });
}

async function insertRun(store: Store, sql: Sql, request: RunRequest, at: number): Promise<Committed> {
  const { runs } = store.tables;
  if ((await runs.find(sql, { id: request.id })).length > 0) throw new RunExistsError(request.id);
  const { run, events } = createRun(request, at);
  await runs.insert(sql, [{ ...newRunRow(run), eventCount: 0, headHash: GENESIS_HASH }]);
  const state = await loadState(store, sql, request.id);
  return write(store, sql, state, { run: {}, events }, at);
}
