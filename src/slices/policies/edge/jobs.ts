/**
 * What policies do now and then: settings of a former release become policies, policies take over
 * what this release gives, and lone signatures lapse.
 */
import { identityStore } from '#core/identity';
import { adoptPolicies, lapseSignatures, policyPortsOf } from '#slices/policies';
import type { ScheduledJob } from '../../../workers/jobQueue.ts';
import type { JobPurposes, WorkerProcess } from '../../processes.ts';

export const purposes: JobPurposes = { 'policy-release': 'none', 'policy-signatures': 'none' };

const EVERY_MS = 60_000;

export function scheduled(process: WorkerProcess): readonly ScheduledJob[] {
  const ports = { ...policyPortsOf(process), settings: process.settings };
  const store = identityStore(process.storage.tables);
  return [
    {
      everyMs: EVERY_MS,
      name: 'policy-release',
      run: async () => ({ adopted: await adoptPolicies(ports, await store.listTenants()) }),
    },
    {
      everyMs: EVERY_MS,
      name: 'policy-signatures',
      run: async () => ({ lapsed: await lapseSignatures(ports) }),
    },
  ];
}
