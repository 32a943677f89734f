/** The whole contract: every adapter runs all of it against the real thing. */
import { auditSearchContract } from './auditSearch.ts';
import { auditStoreContract } from './auditStore.ts';
import { batchChunksContract } from './batchChunks.ts';
import { batchesContract } from './batches.ts';
import { batchRaceContract } from './batchRace.ts';
import { damagedRecordsContract } from './damagedRecords.ts';
import type { MakeHarness } from './harness.ts';
import { headLeaseContract } from './headLease.ts';
import { hitReviewsContract } from './hitReviews.ts';
import { identityStoreContract } from './identityStore.ts';
import { isolationContract } from './isolation.ts';
import { listStoreContract } from './listStore.ts';
import { oldBackupContract } from './oldBackup.ts';
import { outboxLeasesContract } from './outboxLeases.ts';
import { outboxStoreContract } from './outboxStore.ts';
import { runStoreContract } from './runStore.ts';

export function storageContract(
  technology: string,
  makeHarness: MakeHarness,
  options: { isolationOperations: number },
): void {
  auditStoreContract(technology, makeHarness);
  auditSearchContract(technology, makeHarness);
  headLeaseContract(technology, makeHarness);
  damagedRecordsContract(technology, makeHarness);
  oldBackupContract(technology, makeHarness);
  outboxStoreContract(technology, makeHarness);
  outboxLeasesContract(technology, makeHarness);
  identityStoreContract(technology, makeHarness);
  listStoreContract(technology, makeHarness);
  runStoreContract(technology, makeHarness);
  batchesContract(technology, makeHarness);
  batchChunksContract(technology, makeHarness);
  batchRaceContract(technology, makeHarness);
  hitReviewsContract(technology, makeHarness);
  isolationContract(technology, makeHarness, options.isolationOperations);
}
