/**
 * A person whose erasure was approved is shown as one who was erased, in whatever privacy itself
 * shows: whether the work is done, or waits for something, makes no difference (AMLR 73).
 */
import { everyRecord, type TenantId } from '#core/kernel';
import type { PrivacyReads } from './ports.ts';
import {
  type PrivacyRequest,
  privacyRequestTable,
  type RequestErasure,
  type SubjectFlag,
} from './tables.ts';

interface Named {
  readonly tenantId: TenantId;
  readonly subjectRef: string;
}

/** The last erasure that was approved and still names the person. Throws `state-altered`. */
export async function answeredErasure(
  { signed, tables }: PrivacyReads,
  { subjectRef, tenantId }: Named,
): Promise<RequestErasure | undefined> {
  let last: RequestErasure | undefined;
  const ask = { equal: { subjectRef, tenantId }, index: 'byRef' };
  for await (const found of everyRecord(tables, privacyRequestTable, ask)) {
    if (found.erasure === undefined) continue;
    const { erasure } = await signed.requireRequest(found);
    if (erasure !== undefined && erasure.asOf >= (last?.asOf ?? 0)) last = erasure;
  }
  return last;
}

/** What is left of a request once its person is erased: that it was answered, and how. */
export function withoutPerson(request: PrivacyRequest, pseudonym: string): PrivacyRequest {
  const { caseId: _, note: __, subjectId: ___, ...rest } = request;
  const { evidence: ____, ...identity } = request.identity;
  return {
    ...rest,
    identity,
    requester: { relation: request.requester.relation },
    subjectRef: pseudonym,
    version: request.version + 1,
  };
}

/** A former request as it is shown. An open one holds the erasure back for everybody. */
export async function shownRequest(
  ports: PrivacyReads,
  request: PrivacyRequest,
): Promise<PrivacyRequest> {
  const { endedAt, erasure, receivedAt, subjectRef, tenantId } = request;
  if (subjectRef === undefined || erasure !== undefined || endedAt === undefined) return request;
  const answered = await answeredErasure(ports, { subjectRef, tenantId });
  return answered === undefined || receivedAt > answered.asOf
    ? request
    : withoutPerson(request, answered.pseudonym);
}

/** Flags as shown: those of before an approved erasure are gone. Throws `state-altered`. */
export async function shownFlag(ports: PrivacyReads, of: Named): Promise<SubjectFlag | undefined> {
  const flag = await ports.signed.flagOf(of);
  if (flag === undefined) return undefined;
  const answered = await answeredErasure(ports, of);
  return answered !== undefined && flag.changedAt <= answered.asOf ? undefined : flag;
}
