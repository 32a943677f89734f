/**
 * What becomes of lookups for the cases of a customer who is erased: they stay as long as a law
 * demands the file of a decided case. Without a duty, or at its end, the key of each answer is
 * destroyed: that a registry was asked stays, what it said nobody reads any more.
 */
import { entry, overwrite } from '#core/audit';
import { dataKeyTable } from '#core/blobs';
import { chainOf, everyRecord } from '#core/kernel';
import type { DataSubject, ErasureTerms, HoldingErasure } from '#core/privacy';
import { type CaseReadPorts, lastDuty, wholeSubject } from '#slices/customers';
import { lookupKeyId } from './lookUp.ts';
import type { LookupPorts } from './ports.ts';
import { findLookup, lookupTarget, recordDigest } from './signedRegistries.ts';
import { type RegistryLookup, registryLookupTable } from './tables.ts';

/** What erases lookups. */
export interface EraseLookupsPorts {
  readonly cases: Pick<CaseReadPorts, 'signed' | 'tables'>;
  readonly lookups: LookupPorts;
}

/** The answers for all cases of the customer. */
export const erasureOfLookups = (ports: EraseLookupsPorts): HoldingErasure => ({
  async plan(named, terms) {
    const { readable, until } = await heldOf(ports, named, terms);
    const rows = readable.length;
    if (rows === 0) return [];
    return until !== undefined && until > terms.now
      ? [{ action: 'keep', rows, until, why: 'legal_duty' }]
      : [{ action: 'delete', rows, why: 'no_duty' }];
  },
  async erase(named, order) {
    const { readable, until } = await heldOf(ports, named, order);
    if (until !== undefined && until > order.now) return;
    for (const one of readable) await eraseAnswer(ports.lookups, one, order.actor);
  },
});

async function heldOf(
  ports: EraseLookupsPorts,
  named: DataSubject,
  terms: Pick<ErasureTerms, 'asOf' | 'retentionYears'>,
) {
  const whole = await wholeSubject(ports.cases, named);
  if (whole === undefined || whole.subject.createdAt > terms.asOf) {
    return { readable: [], until: undefined };
  }
  const readable = await lookupsOf(ports, named);
  return { readable, until: lastDuty(whole.cases, terms) };
}

/** Those whose answers can still be read, as they were signed. */
export async function lookupsOf(
  { cases, lookups }: EraseLookupsPorts,
  named: DataSubject,
): Promise<readonly RegistryLookup[]> {
  const { tenantId } = named;
  const whole = await wholeSubject(cases, named);
  const found: RegistryLookup[] = [];
  for (const { caseId } of whole?.cases ?? []) {
    const ask = { equal: { caseId, tenantId }, index: 'byCase' };
    for await (const row of everyRecord(lookups.tables, registryLookupTable, ask)) {
      const one = await findLookup(lookups, row);
      if (one !== undefined && (await keyOf(lookups, one)) !== undefined) found.push(one);
    }
  }
  return found;
}

const keyOf = ({ dataKeys }: LookupPorts, { lookupId, tenantId }: RegistryLookup) =>
  dataKeys.find({ keyId: lookupKeyId(lookupId), tenantId });

const eraseAnswer = (
  ports: LookupPorts,
  lookup: RegistryLookup,
  actor: Parameters<typeof entry>[1]['actor'],
): Promise<void> =>
  overwrite(async () => {
    const key = await keyOf(ports, lookup);
    if (key === undefined) return;
    await ports.commit(chainOf(lookup.tenantId), {
      bus: [],
      changes: [dataKeyTable.remove({ keyId: key.keyId }, key.version)],
      events: [
        entry(ports, {
          action: 'registry.lookup.erased',
          actor,
          members: { record_digest: recordDigest('lookup', lookup) },
          target: lookupTarget(lookup),
        }),
      ],
    });
  });
