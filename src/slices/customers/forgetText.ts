/** The whole text of a document is forgotten after its time: its fields say what is needed. */
import { overwrite } from '#core/audit';
import { chainOf } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { kycEntry } from './caseRecord.ts';
import { documentOfTask, type ReadingPorts, type TaskHold } from './settleDocument.ts';
import { documentTarget } from './signedCases.ts';
import { type CaseTask, caseDocumentTable, type DocumentRecord, taskTable } from './tables.ts';

/** Ends the task, also of a document that was erased meanwhile. */
export async function forgetText(ports: ReadingPorts, hold: TaskHold): Promise<void> {
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
