/** `tenant set ID screening.…`: the settings that are members of the policy. */
import type { Actor } from '#core/audit';
import { DomainError, type TenantId } from '#core/kernel';
import { changePolicySettings, isPolicySetting, policyPortsOf } from '#slices/policies';
import { EXIT, UsageError } from '../../../cli/command.ts';
import type { Output } from '../../../cli/output.ts';
import type { CliProcess } from '../../processes.ts';

/** All of them or none: the two are changed in different commits. */
export function areOfPolicy(keys: readonly string[]): boolean {
  const some = keys.filter(isPolicySetting);
  if (some.length === 0 || some.length === keys.length) return some.length > 0;
  throw new UsageError('screening.* and what else is of the policy: set it by itself');
}

/** Makes the change, and shows what became of it. */
export async function setPolicy(
  process: CliProcess,
  output: Output,
  {
    actor,
    changes,
    id,
  }: {
    readonly actor: Actor;
    readonly changes: Readonly<Record<string, string | null>>;
    readonly id: string;
  },
): Promise<typeof EXIT.done> {
  const tenant = await process.identity.findTenant(id as TenantId);
  if (tenant === undefined) throw new DomainError('not-found', { detail: 'no such tenant' });
  const ports = { ...policyPortsOf(process), settings: process.settings };
  const record = await changePolicySettings(ports, { actor, changes, tenant });
  const { contentHash, policyVersion, status } = record;
  const next =
    status === 'DRAFT' ? ': two persons sign it (policy show, policy sign, policy publish)' : '';
  output.result(
    { content_hash: contentHash, status, tenant_id: record.tenantId, version: policyVersion },
    `policy ${policyVersion} is ${status}${next}`,
  );
  return EXIT.done;
}
