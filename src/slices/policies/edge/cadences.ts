/** Fires of lists that policies in force have added, of tenants that may change lists. */
import { DomainError } from '#core/kernel';
import type { Cadences } from '#slices/ingestion';
import { policiesInForceOf, policyPortsOf } from '#slices/policies';
import type { SliceProcess } from '../../processes.ts';

/** A policy that was published fires within this time. */
const KNOWN_MS = 60_000;

/** Read anew once a minute at the most: it is a look at each tenant. */
export const cadences = (process: SliceProcess): (() => Promise<Cadences>) => {
  let known: { readonly at: number; readonly value: Promise<Cadences> } | undefined;
  return () => {
    const now = process.clock.monotonicMs();
    if (known === undefined || now - known.at >= KNOWN_MS) {
      const value = readCadences(process);
      value.catch(() => {
        known = undefined;
      });
      known = { at: now, value };
    }
    return known.value;
  };
};

async function readCadences(process: SliceProcess): Promise<Cadences> {
  const found: Record<string, string[]> = {};
  const { mayChangeLists } = policyPortsOf(process);
  for (const { id } of await process.tenants.list()) {
    if (!(await mayChangeLists(id))) continue;
    for (const [source, cadence] of await cadencesOf(process, id)) {
      const of = found[source] ?? [];
      if (!of.includes(cadence)) of.push(cadence);
      found[source] = of;
    }
  }
  return found;
}

/** None of a policy that is not what was signed: `doctor` names it. */
async function cadencesOf(
  process: SliceProcess,
  tenantId: Parameters<ReturnType<typeof policiesInForceOf>['of']>[0],
): Promise<readonly (readonly [string, string])[]> {
  try {
    const { sources } = (await policiesInForceOf(process).of(tenantId)).content;
    return Object.entries(sources).flatMap(([source, { cadence_override: cadence }]) =>
      cadence === undefined ? [] : [[source, cadence] as const],
    );
  } catch (error) {
    if (error instanceof DomainError && error.code === 'state-altered') return [];
    throw error;
  }
}
