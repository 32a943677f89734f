/**
 * Documents in a worker, one at a time for two cores, tenants in turns. A document that kills its
 * worker is given up after three tries, and its case waits for a person.
 */
import { availableParallelism } from 'node:os';
import type { RetryPlan } from '#core/work';
import {
  type ForgetPorts,
  forgetText,
  giveUpDocument,
  readDocument,
  type TaskHold,
} from '#slices/customers';
import type { TaskKind } from './taskRunner.ts';

const CORES_FOR_ONE = 2;
const AT_ONCE = Math.max(1, Math.floor(availableParallelism() / CORES_FOR_ONE));
const TRANSIENT: ReadonlySet<string> = new Set(['store-unavailable', 'storage-full']);
const FINAL: ReadonlySet<string> = new Set(['blob-damaged', 'subject-erased']);

/** Tries at 0, 1 and 2 minutes; then a person looks. */
const PLAN: RetryPlan = {
  kindOf: (code) => (FINAL.has(code) ? 'final' : TRANSIENT.has(code) ? 'transient' : 'counted'),
  pausesMs: [0, 60_000],
  suspectTries: 1,
  triesMax: 3,
};

/** Documents are scanned and read; their whole texts are forgotten in time. */
export const documentWork = (ports: ForgetPorts): readonly TaskKind[] => [
  {
    atOnce: AT_ONCE,
    atOncePerTenant: AT_ONCE,
    giveUp: (hold) => giveUpDocument(ports, hold),
    kind: 'document',
    plan: PLAN,
    work: (hold) => readDocument(ports, hold, { isLastTry: isLastTry(hold) }),
  },
  {
    atOnce: AT_ONCE,
    atOncePerTenant: AT_ONCE,
    giveUp: (hold) => forgetText(ports, hold),
    kind: 'text',
    plan: { ...PLAN, triesMax: Number.POSITIVE_INFINITY },
    work: (hold) => forgetText(ports, hold),
  },
];

const isLastTry = ({ lease }: TaskHold): boolean => lease.tries >= PLAN.triesMax;
