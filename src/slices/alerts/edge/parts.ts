/** The ports of the rules of alerts, built from the installation of a process. */

import { signedEvents } from '#core/audit';
import {
  type AlertDeskPorts,
  type AlteredPorts,
  type CausePorts,
  type HitExclusions,
  isNoteAsSigned,
  SignedAlerts,
} from '#slices/alerts';
import { batchStore, signedResults } from '#slices/batches';
import {
  addingStep,
  approvingStep,
  exclusionPartsOf,
  exclusionTable,
  isOpen,
  revokingStep,
} from '#slices/exclusions';
import { policiesInForceOf } from '#slices/policies';
import type { SliceProcess } from '../../processes.ts';
import { listChangeSubject, listedPartyPayments, ruleAlertSubject } from '../asks.ts';
import { settings } from '../settings.ts';

/** Everything that the rules of alerts ask for. */
export type AlertParts = AlertDeskPorts &
  CausePorts &
  AlteredPorts &
  Pick<SliceProcess, 'clock'> &
  Pick<SliceProcess['storage'], 'tables'> & { readonly exclusions: HitExclusions };

/** One for the process: what results are read with keeps what it has verified. */
export const alertPartsOf = (process: SliceProcess): AlertParts => process.once(openParts);

function openParts(process: SliceProcess): AlertParts {
  const { blobs, clock, commit, dataKeys, identity, keyRing, random, storage, tenants } = process;
  const { audit, tables } = storage;
  return {
    audit,
    batches: batchStore(tables),
    clock,
    commit,
    events: signedEvents({ audit, keyRing }),
    exclusions: hitExclusions(process),
    keyRing,
    isNoteAsSigned: (note) => isNoteAsSigned({ audit, keyRing }, note),
    listChangeSubject: process.ask(listChangeSubject),
    listedPartyPayments: process.ask(listedPartyPayments),
    listPersons: (tenantId) => identity.listPersons(tenantId),
    random,
    ruleAlertSubject: process.ask(ruleAlertSubject),
    results: signedResults({ audit, blobs, dataKeys, keyRing }),
    signed: new SignedAlerts({ audit, keyRing }),
    settingsOf: async (tenantId) => {
      const { flags } = (await policiesInForceOf(process).of(tenantId)).content;
      return {
        ...(await tenants.settings(tenantId)).of(settings),
        fourEyes: flags.four_eyes,
        raisedFor: flags.auto_alert_typologies,
      };
    },
    tables,
  };
}

function hitExclusions(process: SliceProcess): HitExclusions {
  const ports = exclusionPartsOf(process);
  return {
    adding: (ask) => addingStep(ports, ask),
    approving: (ask) => approvingStep(ports, ask),
    async open(tenantId, exclusionIds) {
      if (exclusionIds.length === 0) return [];
      const keys = exclusionIds.map((exclusionId) => ({ exclusionId, tenantId }));
      return (await ports.tables.findMany(exclusionTable, keys)).filter(isOpen);
    },
    revoking: (ask) => revokingStep(ports, ask),
  };
}
