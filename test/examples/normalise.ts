/** What differs from run to run, with the pattern that finds it. All else of a demo's output is fixed. */
const VARYING: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/\b\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z/g, '<time>'],
  [/ *\+\d+\.\d{3} s\b/g, ' <time>'],
  [/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, '<id>'],
  [/\b[0-9a-f]{64}\b/g, '<hash>'],
  [/(?<=\bagent-\d-)[0-9a-f]{12}\b/g, '<suffix>'],
];

/** A demo's output with its times, ids and hashes replaced by their names. */
export function normalise(output: string): string {
  return VARYING.reduce((text, [pattern, name]) => text.replace(pattern, name), output);
}
