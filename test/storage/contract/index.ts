/** The whole contract: every adapter runs all of it against the real thing. */
import { auditStoreContract } from './auditStore.ts';
import type { MakeHarness } from './harness.ts';
import { headLeaseContract } from './headLease.ts';
import { identityStoreContract } from './identityStore.ts';
import { isolationContract } from './isolation.ts';
import { listStoreContract } from './listStore.ts';
import { outboxStoreContract } from './outboxStore.ts';
import { runStoreContract } from './runStore.ts';

export function storageContract(
  technology: string,
  makeHarness: MakeHarness,
  options: { isolationOperations: number },
): void {
  auditStoreContract(technology, makeHarness);
  headLeaseContract(technology, makeHarness);
  outboxStoreContract(technology, makeHarness);
  identityStoreContract(technology, makeHarness);
  listStoreContract(technology, makeHarness);
  runStoreContract(technology, makeHarness);
  isolationContract(technology, makeHarness, options.isolationOperations);
}
