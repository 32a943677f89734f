/** The ports of the rules of alerts, built from the installation of a process. */

import { Erasures } from '#core/audit';
import {
  type AlertDeskPorts,
  type AlteredPorts,
  type CausePorts,
  causePartsOf,
  type HitExclusions,
  readNote,
  SignedAlerts,
} from '#slices/alerts';
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
import { settings } from '../settings.ts';

/** Everything that the rules of alerts ask for. */
export type AlertParts = AlertDeskPorts &
  CausePorts &
  AlteredPorts &
  Pick<SliceProcess, 'clock'> &
  Pick<SliceProcess['storage'], 'audit' | 'tables'> & { readonly exclusions: HitExclusions };

/** One for the process: what results are read with keeps what it has verified. */
export const alertPartsOf = (process: SliceProcess): AlertParts => process.once(openParts);

function openParts(process: SliceProcess): AlertParts {
  const { clock, commit, identity, keyRing, random, storage, tenants } = process;
  const { audit, tables } = storage;
  const erasures = new Erasures({ audit, keyRing });
  return {
    ...causePartsOf(process),
    audit,
    clock,
    commit,
    exclusions: hitExclusions(process),
    keyRing,
    listPersons: (tenantId) => identity.listPersons(tenantId),
    random,
    readNote: (note) => readNote({ audit, erasures, keyRing }, note),
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
