/**
 * The whole text of a document is forgotten after its time: its fields say what is needed. Where
 * all that is held of the customer is needed, it waits.
 */
import { overwrite } from '#core/audit';
import { chainOf } from '#core/kernel';
import type { IsHeld } from '#core/privacy';
import type { EpochMs } from '#platform/clock';
import { kycEntry } from './caseRecord.ts';
import { documentOfTask, type ReadingPorts, type TaskHold } from './settleDocument.ts';
import { documentTarget } from './signedCases.ts';
import { type CaseTask, caseDocumentTable, type DocumentRecord, taskTable } from './tables.ts';

/** What texts are forgotten with. */
export type ForgetPorts = ReadingPorts & { readonly isHeld: IsHeld };

const HELD_MS = 3_600_000;

/** Ends the task, also of a document that was erased meanwhile; or gives it back for an hour. */
export async function forgetText(ports: ForgetPorts, hold: TaskHold): Promise<void> {
  const { caseId, tenantId } = hold.record;
  if (await ports.isHeld({ caseIds: [caseId], tenantId })) {
    const dueAt = (ports.clock.now() + HELD_MS) as EpochMs;
    await hold.giveBack({ isTried: false, work: { dueAt } });
    return;
  }
  const text = await overwrite(async () => {
    hold.signal.throwIfAborted();
    const before = await documentOfTask(ports, hold.record);
    const { textBlob, ...bare } = before;
    const next: DocumentRecord = { ...bare, version: before.version + 1 };
    const { record: task } = hold;
    const endedAt = ports.clock.now();
    const done: CaseTask = { ...task, endedAt, state: 'done', version: task.version + 1 };
    await ports.commit(chainOf(next.tenantId), {
      bus: [],
      changes: [
        hold.expected,
        caseDocumentTable.put(next, before.version),
        taskTable.put(done, task.version),
      ],
      events: [
        kycEntry(ports, {
          action: 'kyc.document.deleted',
          actor: 'system:customers',
          kind: 'document',
          members: { case_id: next.caseId, reason: 'text-kept-for-its-time' },
          record: next,
          target: documentTarget(next),
        }),
      ],
    });
    return textBlob;
  });
  await hold.end();
  if (text === undefined) return;
  await ports.blobs.remove(text, { putBefore: (ports.clock.now() + 1) as EpochMs });
}
