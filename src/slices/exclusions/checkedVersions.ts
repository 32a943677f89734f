/** Versions of lists that all exclusions of a tenant were compared with. */
import type { CheckedVersions } from './tables.ts';

/** Versions of one list for which exclusions hold: processes change over within two seconds. */
const CHECKED_MAX = 2;

/** The lists with the version that was compared last behind the one before it. */
export function withChecked(
  before: CheckedVersions,
  checked: Readonly<Record<string, string>>,
): CheckedVersions {
  const next = { ...before };
  for (const [source, digest] of Object.entries(checked)) {
    const others = (before[source] ?? []).filter((one) => one !== digest);
    next[source] = [...others, digest].slice(-CHECKED_MAX);
  }
  return next;
}
