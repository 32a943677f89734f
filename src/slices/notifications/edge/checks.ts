/** What `doctor` says: who cannot be told, and which conditions are not what was signed. */
import { tellRefusals } from '#core/audit';
import { identityStore } from '#core/identity';
import type { TenantId } from '#core/kernel';
import { checkConditions, readersAmong, TOLD_ROLES } from '#slices/notifications';
import { CheckWarning } from '../../../cli/warning.ts';
import type { CliProcess, SliceCheck } from '../../processes.ts';

export const checks: readonly SliceCheck[] = [
  { look: checkReaders, name: 'notices' },
  { isOfState: true, look: checkState, name: 'conditions' },
];

/** Sandboxes are for trying things: nobody has to be told of them. */
export async function checkReaders({
  config,
  identity,
  storage,
}: Pick<CliProcess, 'config' | 'identity' | 'storage'>): Promise<string> {
  const tenants = (await identity.listTenants()).filter(({ kind }) => kind === 'live');
  if (tenants.length === 0) return 'no live tenant has to be told of anything';
  const { operations, smtp } = config.notices;
  const wanting: string[] = [];
  if (smtp === undefined) wanting.push('SMTP_URL is not set: notices are read alone, not mailed');
  if (operations.mails.length === 0) wanting.push('OPERATIONS_MAIL is not set');
  for (const { id } of tenants) {
    const persons = await personsOf({ storage }, id);
    const silent = TOLD_ROLES.filter((role) => readersAmong(persons, [role]).length === 0);
    if (silent.length > 0) {
      wanting.push(`tenant ${id} has nobody with an address for ${silent.join(', ')}`);
    }
  }
  if (wanting.length === 0) return `people of ${tenants.length} live tenants can be told`;
  throw new CheckWarning(`${wanting.join('; ')}; see \`person change --email\``);
}

async function personsOf({ storage }: Pick<CliProcess, 'storage'>, tenantId: TenantId) {
  // As they stand: whether they are what was signed, the check `state` says.
  return identityStore(storage.tables).listPersons(tenantId);
}

async function checkState(process: CliProcess): Promise<string> {
  const { clock, identity, keyRing, storage } = process;
  const { audit, tables } = storage;
  const bad: string[] = [];
  let count = 0;
  for (const { id: tenantId } of await identity.listTenants()) {
    const of = { now: clock.now(), tenantId };
    const found = await checkConditions({ audit, keyRing, tables }, of);
    count += found.count;
    bad.push(...found.refusals);
  }
  return tellRefusals(bad, `${count} alerts of operation and tickets are what was signed`);
}
