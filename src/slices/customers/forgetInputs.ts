/**
 * What a customer gave for a case that expired, and that nobody ever decided, is deleted after its
 * time: documents, what was typed, and who they are, as far as this case has it. That they agreed,
 * and what the checks came to, stays. It waits for whatever needs the customer as a whole.
 */
import type { IsHeld } from '#core/privacy';
import type { ForgetSubmissions } from './asks.ts';
import { etagOf, requireCase } from './caseRecord.ts';
import { changeCase } from './changeCase.ts';
import { deleteDocument, storedDocuments } from './documentFiles.ts';
import { BY_SYSTEM, type CasePorts } from './ports.ts';
import { type CaseRecord, caseTable } from './tables.ts';

/** What inputs are deleted with. */
export interface ForgetInputsPorts extends CasePorts {
  readonly isHeld: IsHeld;
  readonly forgetSubmissions: ForgetSubmissions;
}

/** Whether a case is one of them, and its time is over. */
export const areInputsDue = (
  { inputsUntil, status }: Pick<CaseRecord, 'inputsUntil' | 'status'>,
  now: number,
): boolean => status === 'expired' && inputsUntil !== undefined && inputsUntil <= now;

/** False: not yet, or not any more. A worker that dies repeats what it has done. */
export async function forgetInputs(
  ports: ForgetInputsPorts,
  { caseId, tenantId }: Pick<CaseRecord, 'caseId' | 'tenantId'>,
): Promise<boolean> {
  const place = { caseId, tenantId };
  const record = await requireCase(ports, place);
  if (!areInputsDue(record, ports.clock.now())) return false;
  if (await ports.isHeld({ caseIds: [caseId], tenantId })) return false;
  // A case that is opened again meanwhile keeps what is not deleted yet.
  const isSame = caseTable.expect(place, { version: record.version });
  for (const document of await storedDocuments(ports, record)) {
    await deleteDocument(ports, document, {
      actor: BY_SYSTEM,
      beside: [isSame],
      reason: 'expired-case',
    });
  }
  await ports.forgetSubmissions({ ...place, expected: isSame });
  const isExpected = (etag: string): boolean => etag === etagOf(record);
  await changeCase(ports, { ...place, actor: BY_SYSTEM, isExpected }, () => ({
    change: { documents: [], form: undefined, inputsUntil: undefined },
    content: { provenance: {}, reasons: {}, subject: {} },
    entry: { action: 'kyc.case.inputs_deleted', members: { reason: 'expired' } },
  }));
  return true;
}
