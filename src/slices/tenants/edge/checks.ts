/** Whether tenants, keys and persons are what their last signed entries made them. */
import { tellRefusals } from '#core/audit';
import {
  heldApiKey,
  heldPerson,
  heldTenant,
  identityStore,
  refusalsOf,
  SignedState,
} from '#core/identity';
import type { CliProcess, SliceCheck } from '../../processes.ts';

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
  return tellRefusals(bad, `${count} tenants, keys and persons are what was signed`);
}
