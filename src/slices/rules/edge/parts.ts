/** The ports of rules, built from the installation of a process; one for each. */
import { alertSettings, SignedAlerts } from '#slices/alerts';
import { factsReaderOf, logStreamOf, monitoringSettings, ratesReaderOf } from '#slices/monitoring';
import { editingLock, policiesInForceOf } from '#slices/policies';
import {
  type EvaluatePorts,
  type RuleDeskPorts,
  signedBacktests,
  signedPositions,
  signedRules,
  signedSuppressions,
} from '#slices/rules';
import type { SliceProcess } from '../../processes.ts';

/** Everything that rules are changed, read and evaluated with. */
export type RuleParts = RuleDeskPorts & EvaluatePorts;

/** One for the process: what is compared with the chain is kept. */
export const rulePartsOf = (process: SliceProcess): RuleParts => process.once(openParts);

function openParts(process: SliceProcess): RuleParts {
  const { blobs, clock, commit, dataKeys, identity, keyRing, random, storage, tenants } = process;
  const { audit, tables } = storage;
  const signing = { audit, clock, keyRing };
  return {
    alerts: {
      clock,
      commit,
      listPersons: (tenantId) => identity.listPersons(tenantId),
      random,
      async settingsOf(tenantId) {
        const { flags } = (await policiesInForceOf(process).of(tenantId)).content;
        return {
          ...(await tenants.settings(tenantId)).of(alertSettings),
          fourEyes: flags.four_eyes,
          raisedFor: flags.auto_alert_typologies,
        };
      },
      signed: new SignedAlerts({ audit, keyRing }),
      tables,
    },
    audit,
    blobs,
    clock,
    commit,
    dataKeys,
    editingLock: process.ask(editingLock),
    facts: factsReaderOf(process),
    listPersons: (tenantId) => identity.listPersons(tenantId),
    log: logStreamOf(process),
    random,
    rates: ratesReaderOf(process),
    settingsOf: async (tenantId) => {
      const { baseCurrency, zone } = (await tenants.settings(tenantId)).of(monitoringSettings);
      return { baseCurrency, zone };
    },
    signed: signedRules(signing),
    signedBacktests: signedBacktests(signing),
    signedPositions: signedPositions(signing),
    signedSuppressions: signedSuppressions(signing),
    tables,
  };
}
