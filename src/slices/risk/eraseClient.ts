/**
 * What becomes of the evaluations of a client who is erased. As long as a law demands the file of
 * a decided case it demands them too, and they name the client by an id alone. Without a duty, or
 * at its end, the facts that they were made from are erased, and where the client stands goes.
 */
import { type AuditStore, entry, eraseOpenAbout, openAbout, overwrite } from '#core/audit';
import { chainOf } from '#core/kernel';
import type { DataSubject, ErasureOrder, ErasureTerms, HoldingErasure } from '#core/privacy';
import type { EpochMs } from '#platform/clock';
import { type CaseReadPorts, casesOfSubject, findSubject, lastDuty } from '#slices/customers';
import { type Evaluation, listEvaluations } from './evaluation.ts';
import type { RiskAudit, RiskDeskPorts } from './ports.ts';
import { clientTarget } from './signedRisk.ts';
import { type RiskClient, riskClientTable } from './tables.ts';

/** What erases clients. */
export type EraseClientPorts = Pick<
  RiskDeskPorts,
  'clock' | 'commit' | 'events' | 'random' | 'signed'
> & {
  readonly audit: Pick<AuditStore, 'eraseOpen'> & RiskAudit;
  readonly cases: Pick<CaseReadPorts, 'signed' | 'tables'>;
};

const PAGE = 500;
/** The client goes whole: also what was evaluated under the pseudonym. */
const EVER = Number.MAX_SAFE_INTEGER as EpochMs;

/** Where the client stands, and the facts of all evaluations. */
export const erasureOfClient = (ports: EraseClientPorts): HoldingErasure => ({
  async plan(named, terms) {
    const held = await heldOf(ports, named, terms);
    if (held === undefined) return [];
    const { until } = held;
    const rows = await rowsOf(ports, held);
    if (rows === 0) return [];
    return isKept(until, terms)
      ? [{ action: 'keep', rows, until, why: 'legal_duty' }]
      : [{ action: 'delete', rows, why: 'no_duty' }];
  },
  async erase(named, order) {
    const held = await heldOf(ports, named, order);
    if (held === undefined || isKept(held.until, order)) return;
    const { audit: store, clock, commit, random } = ports;
    const { actor, reason } = order;
    await eraseOpenAbout(
      { audit: { commit }, clock, random, store },
      { ...aboutOf(held), actor, reason },
    );
    await removeClient(ports, held, order);
  },
});

type ClientKey = Pick<RiskClient, 'clientId' | 'tenantId'>;

const isKept = (until: EpochMs | undefined, { now }: Pick<ErasureTerms, 'now'>): until is EpochMs =>
  until !== undefined && until > now;

/** Undefined where there is nobody of these names, or only of another relation. */
async function heldOf(
  { cases }: EraseClientPorts,
  named: DataSubject,
  terms: Pick<ErasureTerms, 'asOf' | 'retentionYears'>,
): Promise<(ClientKey & { readonly until: EpochMs | undefined }) | undefined> {
  const subject = await subjectOfClient(cases, named);
  if (subject === undefined || subject.createdAt > terms.asOf) return undefined;
  const until = lastDuty(await casesOfSubject(cases, subject), terms);
  return { clientId: subject.subjectId, tenantId: named.tenantId, until };
}

function subjectOfClient(
  cases: EraseClientPorts['cases'],
  { caseIds: [caseId] = [], subjectId, subjectRef, tenantId }: DataSubject,
) {
  return findSubject(cases, {
    tenantId,
    ...(caseId !== undefined && { caseId }),
    ...(subjectId !== undefined && { subjectId }),
    ...(subjectRef !== undefined && { externalRef: subjectRef }),
  });
}

const aboutOf = ({ clientId, tenantId }: ClientKey) => ({
  chainId: chainOf(tenantId),
  targets: [clientTarget({ clientId })],
  until: EVER,
});

async function rowsOf(
  { audit, signed }: EraseClientPorts,
  { clientId, tenantId }: ClientKey,
): Promise<number> {
  let rows = (await signed.findClient({ clientId, tenantId })) === undefined ? 0 : 1;
  for await (const _ of openAbout(audit, aboutOf({ clientId, tenantId }))) rows++;
  return rows;
}

const removeClient = (
  ports: EraseClientPorts,
  { clientId, tenantId }: ClientKey,
  { actor }: ErasureOrder,
): Promise<void> =>
  overwrite(async () => {
    const client = await ports.signed.findClient({ clientId, tenantId });
    if (client === undefined) return;
    await ports.commit(chainOf(tenantId), {
      bus: [],
      changes: [riskClientTable.remove({ clientId, tenantId }, client.version)],
      events: [
        entry(ports, {
          action: 'risk.client.erased',
          actor,
          members: { client_id: clientId, record_digest: null },
          target: clientTarget({ clientId }),
        }),
      ],
    });
  });

/** All evaluations of the client whose facts were not erased, latest first. */
export async function* evaluationsOfClient(
  ports: EraseClientPorts,
  named: DataSubject,
): AsyncGenerator<Evaluation> {
  const { tenantId } = named;
  const subject = await subjectOfClient(ports.cases, named);
  if (subject === undefined) return;
  for (let beforeSeq: number | undefined; ; ) {
    const { evaluations, next } = await listEvaluations(ports, {
      clientId: subject.subjectId,
      limit: PAGE,
      tenantId,
      ...(beforeSeq !== undefined && { beforeSeq }),
    });
    yield* evaluations.filter(({ open }) => open !== undefined);
    if (next === undefined) return;
    beforeSeq = next;
  }
}
