/**
 * Evaluations that are compared with nothing: of whoever was erased, or does not want it. A report
 * looks better without some clients, so the chain must say of each who is left out that it is so.
 */

import type { TenantId } from '#core/kernel';
import type { MayProcessEach, Purpose } from '#core/privacy';
import { type SubjectRecord, subjectTable } from '#slices/customers';
import type { ClientFactsPorts } from './clientFacts.ts';
import type { Evaluation } from './evaluation.ts';
import type { RiskReadPorts } from './ports.ts';

/** Why one is left out. */
export type LeftOut = 'erased' | 'restricted';

/**
 * The clients of evaluations, in their order, where they may be compared; at most a thousand.
 * Throws `state-altered` where the record of one who is left out is not what was signed.
 */
export async function comparedSubjects(
  ports: Pick<RiskReadPorts, 'tables'> & {
    readonly facts: { readonly cases: Pick<ClientFactsPorts['cases'], 'signed'> };
    readonly mayProcessEach: MayProcessEach;
  },
  of: {
    readonly evaluations: readonly Evaluation[];
    readonly purpose: Purpose;
    readonly tenantId: TenantId;
  },
): Promise<readonly (LeftOut | SubjectRecord)[]> {
  const { evaluations, purpose, tenantId } = of;
  const ids = new Set(evaluations.map(({ members }) => members.client_id));
  const keys = [...ids].map((subjectId) => ({ subjectId, tenantId }));
  const found = await ports.tables.findMany(subjectTable, keys);
  const kept = found.filter(({ erasedAt }) => erasedAt === undefined);
  const subjectRefs = kept.map(({ externalRef }) => externalRef);
  const may = await ports.mayProcessEach({ subjectRefs, tenantId }, purpose);
  const subjects = new Map(
    kept.map((one, place) => [one.subjectId, may[place] === true ? one : 'restricted'] as const),
  );
  for (const subjectId of ids) {
    if (typeof (subjects.get(subjectId) ?? 'erased') !== 'string') continue;
    await ports.facts.cases.signed.findSubject({ subjectId, tenantId });
  }
  return evaluations.map(({ members }) => subjects.get(members.client_id) ?? 'erased');
}
