/** The ports of the rules of risk, built from the installation of a process; one for each. */
import { type Actor, signedEvents } from '#core/audit';
import { personOf } from '#core/identity';
import { causePartsOf, customersOfAlerts, SignedAlerts } from '#slices/alerts';
import { signedCases } from '#slices/customers';
import { editingLock } from '#slices/policies';
import { mayProcessEachBy, signedPrivacyOf } from '#slices/privacy';
import {
  type BacktestPorts,
  type RiskPorts,
  readOutcomes,
  riskInForce,
  settings,
  signedRisk,
} from '#slices/risk';
import { customersReported, reportPartsOf } from '#slices/str';
import type { OperationContext } from '../../../api/operation.ts';
import type { SliceProcess } from '../../processes.ts';
import { drawBacktest } from '../asks.ts';

/** Everything that the rules of risk ask for. */
export type RiskParts = BacktestPorts;

export const riskPortsOf = (process: SliceProcess): RiskParts => process.once(openPorts);

function openPorts(process: SliceProcess): RiskParts {
  const { blobs, clock, commit, dataKeys, identity, keyRing, random, storage, tenants } = process;
  const { audit, tables } = storage;
  const events = signedEvents({ audit, keyRing });
  const signed = signedRisk({ audit, clock, keyRing, tables });
  const alerts = new SignedAlerts({ audit, keyRing });
  return {
    audit,
    blobs,
    clock,
    commit,
    drawBacktest: (report, lang, at) => process.need(drawBacktest)(report, lang, at),
    editingLock: process.ask(editingLock),
    events,
    facts: {
      alerts,
      audit,
      cases: { dataKeys, random, signed: signedCases({ audit, keyRing, tables }), tables },
      screened: { audit, clock, events },
    },
    inForce: riskInForce({ signed }),
    keyRing,
    listPersons: (tenantId) => identity.listPersons(tenantId),
    mayProcessEach: mayProcessEachBy(signedPrivacyOf(process)),
    outcomes: readOutcomes({
      alerts,
      audit,
      customersOf: (found) => customersOfAlerts(causePartsOf(process), found),
      events,
      reported: (tenantId) => customersReported(reportPartsOf(process), tenantId),
      tables,
    }),
    random,
    settingsOf: async (tenantId) => (await tenants.settings(tenantId)).of(settings),
    signed,
    signer: process.signer,
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
