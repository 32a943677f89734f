/** Evaluations that are compared with nothing: of whoever was erased, or does not want it. */

import type { TenantId } from '#core/kernel';
import type { MayProcess, Purpose } from '#core/privacy';
import { type SubjectRecord, subjectTable } from '#slices/customers';
import type { Evaluation } from './evaluation.ts';
import type { RiskReadPorts } from './ports.ts';

/** Why one is left out. */
export type LeftOut = 'erased' | 'restricted';

/** The clients of evaluations, in their order, where they may be compared; at most a thousand. */
export async function comparedSubjects(
  ports: Pick<RiskReadPorts, 'tables'> & { readonly mayProcess: MayProcess },
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
  const subjects = new Map(found.map((one) => [one.subjectId, one]));
  return Promise.all(
    evaluations.map(async ({ members }) => {
      const subject = subjects.get(members.client_id);
      if (subject === undefined || subject.erasedAt !== undefined) return 'erased';
      const { externalRef: subjectRef } = subject;
      return (await ports.mayProcess({ subjectRef, tenantId }, purpose)) ? subject : 'restricted';
    }),
  );
}
