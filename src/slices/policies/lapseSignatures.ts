/** A draft that one person signed and nobody else did in time is a draft again. */
import { entry, StaleChange } from '#core/audit';
import { chainOf, DomainError, isConflict } from '#core/kernel';
import { heldMembers, nextRecord, putNext, targetOf } from './policyRecord.ts';
import type { PolicyWritePorts } from './ports.ts';
import { signedPolicy } from './signedPolicies.ts';
import { type PolicyRecord, policyTable } from './tables.ts';

/** Policies that one run of the job writes. */
const PER_RUN_MAX = 1_000;

/** How many there were. One that somebody signs or edits meanwhile is left as it becomes. */
export async function lapseSignatures(ports: PolicyWritePorts): Promise<number> {
  const { records } = await ports.tables.page(policyTable, {
    equal: { isPending: true },
    index: 'due',
    limit: PER_RUN_MAX,
    to: ports.clock.now() + 1,
  });
  let lapsed = 0;
  for (const record of records) {
    lapsed += await lapseOne(ports, record).then(
      () => 1,
      (error: unknown) => {
        if (isLeft(error)) return 0;
        throw error;
      },
    );
  }
  return lapsed;
}

/** Somebody was first; or the record was altered, which `doctor` tells, and whoever signs it. */
const isLeft = (error: unknown): boolean =>
  isConflict(error) || (error instanceof DomainError && error.code === 'state-altered');

async function lapseOne(ports: PolicyWritePorts, found: PolicyRecord): Promise<void> {
  const record = await signedPolicy(ports, found);
  if (record.status !== 'PENDING_SIGNATURE') throw new StaleChange(0);
  const draft = nextRecord(record, { signatures: [], signedUntil: undefined, status: 'DRAFT' });
  await ports.commit(chainOf(record.tenantId), {
    bus: [],
    changes: [putNext(record, draft)],
    events: [
      entry(ports, {
        action: 'SANCTIONS_POLICY_LAPSED',
        actor: 'system',
        members: heldMembers(draft),
        target: targetOf(draft),
      }),
    ],
  });
}
