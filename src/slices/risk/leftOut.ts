/** Evaluations that are compared with nothing: of whoever was erased, or does not want it. */

import type { TenantId } from '#core/kernel';
import type { MayProcess, Purpose } from '#core/privacy';
import { subjectTable } from '#slices/customers';
import type { Evaluation } from './evaluation.ts';
import type { RiskReadPorts } from './ports.ts';

/** Why it is left out; undefined: it may be compared. */
export async function mayCompare(
  ports: Pick<RiskReadPorts, 'tables'> & { readonly mayProcess: MayProcess },
  of: {
    readonly evaluation: Evaluation;
    readonly purpose: Purpose;
    readonly tenantId: TenantId;
  },
): Promise<'erased' | 'restricted' | undefined> {
  const { evaluation, purpose, tenantId } = of;
  const subjectId = evaluation.members.client_id;
  const subject = await ports.tables.find(subjectTable, { subjectId, tenantId });
  if (subject === undefined || subject.erasedAt !== undefined) return 'erased';
  const { externalRef: subjectRef } = subject;
  return (await ports.mayProcess({ subjectRef, tenantId }, purpose)) ? undefined : 'restricted';
}
