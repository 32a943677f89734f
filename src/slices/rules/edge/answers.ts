/** Answers of rules to questions of the slices on their left. */
import { setTimeout as pause } from 'node:timers/promises';
import type { RuleAlertSubject, RuleKeysOfCustomer } from '#slices/alerts';
import {
  type EvaluateTransactions,
  findTransaction,
  openLogOf,
  type RuleAlertOf,
} from '#slices/monitoring';
import {
  alertFacts,
  alertSubject,
  evaluatedBetween,
  type SubjectPorts,
  subjectKeysOf,
} from '#slices/rules';
import type { GatewayProcess, SliceProcess } from '../../processes.ts';
import { rulePartsOf } from './parts.ts';

const LOOK_EVERY_MS = 15;

/** Waits for the worker that evaluates; undefined where it is not done in time. */
export function evaluateTransactions(process: SliceProcess): EvaluateTransactions {
  const { clock, keyRing, storage } = process;
  const ports = { ...storage, keyRing };
  const { wake } = process as Partial<Pick<GatewayProcess, 'wake'>>;
  return async ({ signal, tenantId, tseqFrom, tseqTo, waitMs }) => {
    wake?.('rules', tenantId);
    const until = clock.monotonicMs() + waitMs;
    for (;;) {
      const found = await evaluatedBetween(ports, { tenantId, tseqFrom, tseqTo });
      if (found !== undefined) return found;
      if (signal?.aborted === true || clock.monotonicMs() + LOOK_EVERY_MS > until) return undefined;
      await pause(LOOK_EVERY_MS);
    }
  };
}

function subjectPorts(process: SliceProcess): SubjectPorts {
  const log = openLogOf(process);
  return {
    find: (place) => findTransaction(log, place),
    signedPositions: rulePartsOf(process).signedPositions,
    tables: process.storage.tables,
  };
}

/** Whom an alert of a rule is about, and why it was raised. */
export const ruleAlertSubject = (process: SliceProcess): RuleAlertSubject =>
  alertSubject(subjectPorts(process));

/** By which digest rules know a customer. */
export const ruleKeysOfCustomer =
  ({ dataKeys }: SliceProcess): RuleKeysOfCustomer =>
  async ({ subjectRef, tenantId }) => [
    (await subjectKeysOf(dataKeys, tenantId)).keyOf('customer', subjectRef),
  ];

/** What customers' systems are told of an alert of a rule. */
export const ruleAlert = (process: SliceProcess): RuleAlertOf => alertFacts(subjectPorts(process));
