/** Work that is done once over many processes: rows of a table that are leased. */
export { Failures } from './failures.ts';
export { type GiveBack, Hold, type HoldPorts, type LeaseTimes, WorkLost } from './hold.ts';
export { HOLDER_HOST, hasProcessEnded, isProcessGone } from './holders.ts';
export type { Fault, LeasedWork, Waiting } from './leasedWork.ts';
export { allTogether, eachApart, type PerTenant } from './perTenant.ts';
export { type Danger, dangerOf } from './poison.ts';
export {
  type AfterFault,
  afterFault,
  type FaultKind,
  pauseBefore,
  type RetryPlan,
} from './retryPlan.ts';
export { Room } from './room.ts';
export { keyOf, keyValues, rowName } from './rowKey.ts';
export { LeasedRunner, type RunnerOptions } from './runner.ts';
export { heldRows, LeaseWatch, type LeaseWatchOptions, Standstill } from './silence.ts';
export { type Turn, Turns } from './turns.ts';
export { registerWorkFigures, type WorkFigureParts } from './workFigures.ts';
export { type Runner, startWorkLoop, type WorkLoop, type WorkLoopOptions } from './workLoop.ts';
