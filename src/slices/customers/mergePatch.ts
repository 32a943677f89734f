/** JSON Merge Patch (RFC 7396): members that are null go, objects are merged, the rest replaces. */

type Value = unknown;
type Members = Readonly<Record<string, Value>>;

/** The patched value. */
export function mergePatch(target: Value, patch: Value): Value {
  if (!isObject(patch)) return patch;
  const merged = new Map(Object.entries(isObject(target) ? target : {}));
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name);
    else merged.set(name, mergePatch(merged.get(name), value));
  }
  return Object.fromEntries(merged);
}

const isObject = (value: Value): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
