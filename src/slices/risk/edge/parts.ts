/** The ports of the rules of risk, built from the installation of a process; one for each. */
import { type Actor, signedEvents } from '#core/audit';
import { personOf } from '#core/identity';
import { SignedAlerts } from '#slices/alerts';
import { signedCases } from '#slices/customers';
import { type RiskPorts, riskInForce, settings, signedRisk } from '#slices/risk';
import type { OperationContext } from '../../../api/operation.ts';
import type { SliceProcess } from '../../processes.ts';

export const riskPortsOf = (process: SliceProcess): RiskPorts => process.once(openPorts);

function openPorts(process: SliceProcess): RiskPorts {
  const { blobs, clock, commit, dataKeys, identity, keyRing, random, storage, tenants } = process;
  const { audit, tables } = storage;
  const events = signedEvents({ audit, keyRing });
  const signed = signedRisk({ audit, clock, keyRing, tables });
  return {
    audit,
    blobs,
    clock,
    commit,
    events,
    facts: {
      alerts: new SignedAlerts({ audit, keyRing }),
      audit,
      cases: { dataKeys, random, signed: signedCases({ audit, keyRing, tables }), tables },
      screened: { audit, clock, events },
    },
    inForce: riskInForce({ signed }),
    keyRing,
    listPersons: (tenantId) => identity.listPersons(tenantId),
    random,
    settingsOf: async (tenantId) => (await tenants.settings(tenantId)).of(settings),
    signed,
    tables,
  };
}

/** The caller as entries name them: the person, where there is one. */
export async function askerOf(
  { listPersons }: Pick<RiskPorts, 'listPersons'>,
  { ip, principal, tenantId }: Pick<OperationContext, 'ip' | 'principal' | 'tenantId'>,
): Promise<{ readonly actor: Actor; readonly ip?: string }> {
  const person = personOf(principal, await listPersons(tenantId));
  const account: Actor = `${principal.kind === 'user' ? 'user' : 'key'}:${principal.id}`;
  return { actor: person ? `person:${person.id}` : account, ...(ip !== '' && { ip }) };
}
