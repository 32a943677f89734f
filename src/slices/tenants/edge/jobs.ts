/**
 * What the slice does now and then: tenants of a former release take over what this one gives them,
 * such as its re-ranker, with an entry in the chain of each. Until then they have what they had, so
 * that a chain says from where on the new one decides.
 */
import { identityStore, type TenantAdmin } from '#core/identity';
import { createAdministration } from '#slices/tenants';
import type { ScheduledJob } from '../../../workers/jobQueue.ts';
import type { JobPurposes, WorkerProcess } from '../../processes.ts';

export const purposes: JobPurposes = { 'tenant-release': 'none' };

const EVERY_MS = 60_000;

export const scheduled = (process: WorkerProcess): readonly ScheduledJob[] => {
  const store = identityStore(process.storage.tables);
  const { tenants } = createAdministration({ ...process, store });
  return [{ everyMs: EVERY_MS, name: 'tenant-release', run: () => adoptRelease(tenants) }];
};

export const adoptRelease = async (
  tenants: Pick<TenantAdmin, 'adoptRelease'>,
): Promise<Readonly<Record<'adopted', number>>> => ({
  adopted: await tenants.adoptRelease({ actor: 'system' }),
});
