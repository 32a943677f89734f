/**
 * A worker looks at a document: it is scanned, and read in cages. Without scanner or reader the
 * case waits for a person, and none is lost.
 */
import type { MediaType, ScanResult } from '#slices/recognition';
import { openDocument } from './documentFiles.ts';
import type { ReadingPorts, TaskHold } from './settleDocument.ts';
import { documentOfTask, type Looked, settleDocument } from './settleDocument.ts';
import { keyOfSubject } from './subjects.ts';
import type { DocumentRecord } from './tables.ts';

/** The scanner did not answer: it is asked again. */
export class ScannerAway extends Error {
  override readonly name = 'ScannerAway';
}

/**
 * Looks at the document of a task. Throws ScannerAway while `isLastTry` is false and the scanner
 * does not answer.
 */
export async function readDocument(
  ports: ReadingPorts,
  hold: TaskHold,
  { isLastTry }: { readonly isLastTry: boolean },
): Promise<void> {
  const document = await documentOfTask(ports, hold.record);
  const { blob } = document;
  if (document.recognition !== 'queued' || blob === undefined) {
    return settleDocument(ports, hold, { recognition: document.recognition, scan: document.scan });
  }
  const key = await keyOfSubject(ports, document);
  const bytes = await openDocument(ports, blob, { key, kind: 'file' });
  const scan = await ports.scanner.scan(bytes);
  hold.signal.throwIfAborted();
  if (scan.status === 'failed' && scan.reason !== 'too-large' && !isLastTry) {
    throw new ScannerAway(scan.reason);
  }
  await settleDocument(
    ports,
    hold,
    await look(ports, { bytes, document, scan, signal: hold.signal }),
  );
}

/** A document that could not be looked at: a person does. */
export const giveUpDocument = async (ports: ReadingPorts, hold: TaskHold): Promise<void> => {
  const { scan } = await documentOfTask(ports, hold.record);
  const isScanned = scan !== 'pending';
  await settleDocument(ports, hold, { recognition: 'failed', scan: isScanned ? scan : 'failed' });
};

async function look(
  ports: ReadingPorts,
  of: {
    readonly bytes: Uint8Array;
    readonly document: DocumentRecord;
    readonly scan: ScanResult;
    readonly signal: AbortSignal;
  },
): Promise<Looked> {
  const { bytes, document, scan, signal } = of;
  const scanner = 'engine' in scan ? { scanner: scan.engine } : {};
  if (scan.status === 'infected') {
    return { ...scanner, recognition: 'failed', scan: 'infected', signature: scan.signature };
  }
  const scanned = { ...scanner, scan: scan.status };
  const { isScanRequired } = await ports.settingsOf(document.tenantId);
  if (isScanRequired && scan.status !== 'clean') return { ...scanned, recognition: 'unavailable' };
  if (document.kind === 'selfie') return { ...scanned, recognition: 'skipped' };
  const { pages } = document;
  const mediaType = document.mediaType as MediaType;
  const found = await ports.recogniser.recognise({ bytes, mediaType, pages, signal });
  return { ...scanned, found, recognition: found.status };
}
