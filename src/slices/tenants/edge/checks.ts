/** Whether tenants, keys and persons are what their last signed entries made them. */
import {
  heldApiKey,
  heldPerson,
  heldTenant,
  identityStore,
  refusalsOf,
  SignedState,
} from '#core/identity';
import type { CliProcess, SliceCheck } from '../../processes.ts';

/** Refusals that are told; more of them say the same. */
const TOLD_MAX = 10;

export const checks: readonly SliceCheck[] = [{ isOfState: true, look: checkState, name: 'state' }];

export async function checkState(
  process: Pick<CliProcess, 'clock' | 'keyRing' | 'storage'>,
): Promise<string> {
  const { audit, tables } = process.storage;
  const state = new SignedState({ ...process, audit });
  const store = identityStore(tables);
  const bad: string[] = [];
  let count = 0;
  for (const tenant of await store.listTenants()) {
    const records = [
      heldTenant(tenant),
      ...(await store.listApiKeys(tenant.id)).map(heldApiKey),
      ...(await store.listPersons(tenant.id)).map(heldPerson),
    ];
    count += records.length;
    bad.push(...(await refusalsOf(state, tenant.id, records)));
    const known = new Set(records.map(({ id, kind }) => `${kind}:${id}`));
    for (const name of await state.missing(tenant.id, known)) {
      bad.push(`${name} of ${tenant.id}: its record is gone`);
    }
  }
  if (bad.length === 0) return `${count} tenants, keys and persons are what was signed`;
  const more = bad.length > TOLD_MAX ? `; and ${bad.length - TOLD_MAX} more` : '';
  throw new Error(bad.slice(0, TOLD_MAX).join('; ') + more);
}
