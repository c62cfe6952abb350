import { canonicalJson } from '../model/canonical-json.js';
import type { ToolSpec } from '../model/tool.js';
import type { Store } from './store.js';

/** Records each distinct spec once; steps name them by hash. */
export async function recordSpecs(store: Store, specs: ReadonlyMap<string, ToolSpec>): Promise<void> {
  await store.transaction(async (sql) => {
    for (const [hash, spec] of specs) await store.tables.specs.insertIfAbsent(sql, { hash, spec: canonicalJson(spec) });
  });
}
