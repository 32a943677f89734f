/** Which transactions a change of one of them concerns: those whose windows hold it. */
import type { RulePlan } from './compileRule.ts';
import type { Edges } from './edges.ts';
import { byPosition, type Entry } from './entry.ts';
import type { SubjectKind } from './ruleLanguage.ts';

/** Adds those behind `from` whose windows hold the entry. */
export function noteFollowers(
  {
    edges,
    kinds,
    plan,
  }: {
    readonly edges: Edges | undefined;
    readonly kinds: readonly SubjectKind[];
    readonly plan: RulePlan;
  },
  { entry, from }: { readonly entry: Entry; readonly from: Entry },
  touched: Set<Entry>,
): void {
  const { hopsMax, reachMs } = plan;
  for (const kind of kinds) {
    const series = entry.series[kind];
    for (const track of series === undefined ? [] : [series.tracks[0], series.uncounted]) {
      const { from: first = 0 } = track?.slice(from.at - 1, from) ?? {};
      for (let place = first; track !== undefined && place < track.rows.length; place += 1) {
        const row = track.rows[place];
        if (row === undefined || row.at > entry.at + reachMs) break;
        if (row !== entry && byPosition(row, from) > 0) touched.add(row);
      }
    }
  }
  const beyond = edges?.after(entry, { hops: hopsMax, reachMs });
  for (const one of beyond ?? []) if (byPosition(one, from) > 0) touched.add(one);
}
