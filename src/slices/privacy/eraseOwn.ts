/**
 * What privacy itself does when a person is erased: his flags go, his former requests name a
 * pseudonym, and what entries say of both in their open part is erased. That requests were answered
 * must be shown, so their records stay.
 */
import { entry, eraseOpenAbout, openAbout, overwrite } from '#core/audit';
import { chainOf, everyRecord } from '#core/kernel';
import type { DataSubject, ErasureOrder, ErasureTerms, HoldingErasure } from '#core/privacy';
import { withoutPerson } from './answeredErasure.ts';
import type { ErasePorts } from './erasePorts.ts';
import { commitRequest } from './requestStep.ts';
import { flagTarget, requestTarget } from './signedPrivacy.ts';
import { type PrivacyRequest, privacyRequestTable, subjectFlagTable } from './tables.ts';

type Named = DataSubject & { readonly subjectRef: string };

async function requestsOf(
  { tables }: Pick<ErasePorts, 'tables'>,
  { subjectRef, tenantId }: Named,
  { asOf }: Pick<ErasureTerms, 'asOf'>,
): Promise<readonly PrivacyRequest[]> {
  const found: PrivacyRequest[] = [];
  const ask = { equal: { subjectRef, tenantId }, index: 'byRef', to: asOf + 1 };
  for await (const one of everyRecord(tables, privacyRequestTable, ask)) found.push(one);
  return found;
}

/** Requests of the person: kept, since they were answered, under the pseudonym. */
export const erasureOfRequests = (ports: ErasePorts): HoldingErasure => ({
  async plan(subject, terms) {
    const { subjectRef } = subject;
    if (subjectRef === undefined) return [];
    const rows = (await requestsOf(ports, { ...subject, subjectRef }, terms)).length;
    return rows === 0 ? [] : [{ action: 'pseudonymise', rows, why: 'legal_duty' }];
  },
  async erase(subject, order) {
    const { subjectRef, tenantId } = subject;
    if (subjectRef === undefined) return;
    const found = await requestsOf(ports, { ...subject, subjectRef }, order);
    const targets = found.map(({ requestId }) => requestTarget(requestId));
    await eraseSaid(ports, tenantId, targets, order);
    // The one that is carried out is completed by the end of its work.
    for (const one of found.filter(({ endedAt }) => endedAt !== undefined)) {
      await pseudonymised(ports, one, order);
    }
  },
  async *references(tenantId) {
    const ask = { equal: { tenantId }, index: 'newest' };
    for await (const { subjectRef } of everyRecord(ports.tables, privacyRequestTable, ask)) {
      if (subjectRef !== undefined) yield subjectRef;
    }
  },
});

const pseudonymised = (
  ports: ErasePorts,
  of: PrivacyRequest,
  { actor, pseudonym }: ErasureOrder,
): Promise<PrivacyRequest> =>
  overwrite(async () => {
    const before = await ports.signed.requireRequest(of);
    return commitRequest(ports, {
      action: 'privacy.request.pseudonymised',
      after: withoutPerson(before, pseudonym),
      before,
      by: { actor },
      isUntold: true,
    });
  });

/** Open parts of entries about these. */
export function eraseSaid(
  ports: ErasePorts,
  tenantId: DataSubject['tenantId'],
  targets: readonly string[],
  { actor, asOf, reason }: ErasureOrder,
): Promise<number> {
  const { audit: store, clock, commit, random } = ports;
  return eraseOpenAbout(
    { audit: { commit }, clock, random, store },
    { actor, chainId: chainOf(tenantId), reason, targets, until: asOf },
  );
}

/** What the person has restricted or opposed: nothing is left of whom it could stop. */
export const erasureOfFlags = (ports: ErasePorts): HoldingErasure => ({
  async plan({ subjectRef, tenantId }, { asOf }) {
    if (subjectRef === undefined) return [];
    const flag = await ports.signed.flagOf({ subjectRef, tenantId });
    const isThere = flag !== undefined && flag.changedAt <= asOf;
    const said = await saidOf(ports, { subjectRef, tenantId }, asOf);
    const rows = said + (isThere ? 1 : 0);
    return rows === 0 ? [] : [{ action: 'delete', rows, why: 'no_duty' }];
  },
  async erase({ subjectRef, tenantId }, order) {
    if (subjectRef === undefined) return;
    await removeFlag(ports, { subjectRef, tenantId }, order);
    await eraseSaid(ports, tenantId, [flagTarget(tenantId, subjectRef)], order);
  },
  async *references(tenantId) {
    const ask = { equal: { tenantId }, index: 'key' };
    for await (const one of everyRecord(ports.tables, subjectFlagTable, ask)) yield one.subjectRef;
  },
});

async function saidOf(
  { audit }: Pick<ErasePorts, 'audit'>,
  { subjectRef, tenantId }: Pick<Named, 'subjectRef' | 'tenantId'>,
  until: ErasureTerms['asOf'],
): Promise<number> {
  let count = 0;
  const targets = [flagTarget(tenantId, subjectRef)];
  for await (const _ of openAbout(audit, { chainId: chainOf(tenantId), targets, until })) count++;
  return count;
}

const removeFlag = (
  ports: ErasePorts,
  of: Pick<Named, 'subjectRef' | 'tenantId'>,
  { actor, asOf }: ErasureOrder,
): Promise<void> =>
  overwrite(async () => {
    const { subjectRef, tenantId } = of;
    const flag = await ports.signed.flagOf(of);
    if (flag === undefined || flag.changedAt > asOf) return;
    await ports.commit(chainOf(tenantId), {
      bus: [],
      changes: [subjectFlagTable.remove({ subjectRef, tenantId }, flag.version)],
      events: [
        entry(ports, {
          action: 'privacy.subject.flags_changed',
          actor,
          members: { flag_digest: null },
          target: flagTarget(tenantId, subjectRef),
        }),
      ],
    });
  });
