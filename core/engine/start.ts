import { startRun, type RunRequest } from '../model/moves/start.js';
import type { Run } from '../model/run.js';
import { write, type Committed } from '../store/transition.js';
import { insertRun } from './create.js';
import type { Engine } from './engine.js';
import { Instances } from './instances.js';
import { drive } from './loop.js';
import { Session } from './session.js';

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
