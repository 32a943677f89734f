/** Check of approvals for `doctor`: requests that wait are those that their authors asked for. */
import { refusalsIn, tellRefusals } from '#core/audit';
import { DomainError, everyRecord } from '#core/kernel';
import { approvalTable, verifiedRequest } from '#slices/approvals';
import type { CliProcess, SliceCheck } from '../../processes.ts';

export const checks: readonly SliceCheck[] = [
  { isOfState: true, look: checkApprovals, name: 'approvals' },
];

export async function checkApprovals({
  identity,
  keyRing,
  storage,
}: Pick<CliProcess, 'identity' | 'keyRing' | 'storage'>): Promise<string> {
  const { audit, tables } = storage;
  const refusals: string[] = [];
  let count = 0;
  for (const { id: tenantId } of await identity.listTenants()) {
    const ask = { equal: { state: 'open', tenantId }, index: 'byState' };
    const found = await refusalsIn(everyRecord(tables, approvalTable, ask), async (request) => {
      await verifiedRequest({ audit, keyRing, tables }, request).catch((error: unknown) => {
        if (!(error instanceof DomainError)) throw error;
        const detail = `approval ${request.approvalId}: it is not what was asked for`;
        throw new DomainError(error.code, { cause: error, detail });
      });
    });
    count += found.count;
    refusals.push(...found.refusals);
  }
  return tellRefusals(refusals, `${count} requests wait as they were asked for`);
}
