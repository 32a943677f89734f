/** Files that go with a report: their names and digests are part of what is validated. */
import { DomainError } from '#core/kernel';
import { sha256Hex } from '#platform/crypto';
import { uuidV7 } from '#platform/random';
import type { Attachment } from './content.ts';
import { refuseUnwritable } from './contentRules.ts';
import { keyOfReport, readContent, seal, unseal } from './contentStore.ts';
import { changeContent, requireEditable } from './draftReport.ts';
import { fileKind } from './fileKinds.ts';
import { ATTACHMENTS_BYTES_MAX, ATTACHMENTS_MAX } from './limits.ts';
import type { StrDeskPorts } from './ports.ts';
import { type SeenReport, type StrAsk, type StrPlace, seeReport } from './strRecord.ts';
import type { StrReport } from './tables.ts';

/** A file as it came. */
export interface GivenFile {
  readonly fileName: string;
  readonly bytes: Buffer;
}

/** Throws `attachment-refused` for a kind that no report has. */
export function requireKind({ bytes, fileName }: GivenFile) {
  refuseUnwritable({ file_name: fileName });
  const kind = fileKind(fileName, bytes);
  if (kind !== undefined) return kind;
  throw new DomainError('attachment-refused', {
    detail: 'expected PDF, PNG, JPEG, TIFF, DOCX, XLSX, CSV or TXT, with its own ending',
  });
}

/** Throws `attachment-refused`, `body-too-large`, and as every change does. */
export async function addAttachment(
  ports: StrDeskPorts,
  ask: StrAsk & StrPlace,
  file: GivenFile,
  /** Called before the commit: the answer that is kept with it names the id. */
  onId: (attachmentId: string) => void = () => undefined,
): Promise<{ readonly attachmentId: string; readonly report: StrReport }> {
  const { mediaType } = requireKind(file);
  const seen = await seeReport(ports, ask);
  requireEditable(seen);
  const key = await keyOfReport(ports, seen.report);
  const blob = await seal(ports, file.bytes, { key, kind: 'attachment' });
  const attachment: Attachment = {
    attachment_id: uuidV7(ports.clock.now(), ports.random),
    blob,
    bytes: file.bytes.length,
    file_name: file.fileName,
    media_type: mediaType,
    sha256: sha256Hex(file.bytes),
  };
  onId(attachment.attachment_id);
  const report = await changeContent(ports, ask, (content) => {
    const attachments = [...content.attachments, attachment];
    requireRoom(attachments);
    return { ...content, attachments };
  });
  return { attachmentId: attachment.attachment_id, report };
}

function requireRoom(attachments: readonly Attachment[]): void {
  if (attachments.length > ATTACHMENTS_MAX) {
    const detail = `a report has at most ${ATTACHMENTS_MAX} attachments`;
    throw new DomainError('state-conflict', { detail });
  }
  const bytes = attachments.reduce((sum, one) => sum + one.bytes, 0);
  if (bytes <= ATTACHMENTS_BYTES_MAX) return;
  const detail = `expected at most ${ATTACHMENTS_BYTES_MAX} bytes of attachments, got ${bytes}`;
  throw new DomainError('body-too-large', { detail });
}

/** Throws `not-found` for an attachment that the report does not have. */
export const removeAttachment = (
  ports: StrDeskPorts,
  ask: StrAsk & StrPlace & { readonly attachmentId: string },
): Promise<StrReport> =>
  changeContent(ports, ask, (content) => {
    const attachments = content.attachments.filter(
      ({ attachment_id }) => attachment_id !== ask.attachmentId,
    );
    if (attachments.length === content.attachments.length) throw unknownAttachment();
    return { ...content, attachments };
  });

/** The file. Throws `not-found`, and `blob-damaged` where it is not what was attached. */
export async function readAttachment(
  ports: StrDeskPorts,
  { report }: SeenReport,
  attachmentId: string,
): Promise<{ readonly attachment: Attachment; readonly bytes: Buffer }> {
  const { attachments } = await readContent(ports, report);
  const attachment = attachments.find(({ attachment_id }) => attachment_id === attachmentId);
  if (attachment === undefined) throw unknownAttachment();
  return { attachment, bytes: await openAttachment(ports, report, attachment) };
}

/** Throws `blob-damaged` where it is not what was attached. */
export async function openAttachment(
  ports: Pick<StrDeskPorts, 'blobs' | 'dataKeys'>,
  report: StrReport,
  { blob, sha256 }: Attachment,
): Promise<Buffer> {
  const key = await keyOfReport(ports, report);
  const bytes = await unseal(ports, blob, { key, kind: 'attachment' });
  if (sha256Hex(bytes) === sha256) return bytes;
  throw new DomainError('blob-damaged', { detail: 'an attachment is not what was attached' });
}

const unknownAttachment = (): DomainError =>
  new DomainError('not-found', { detail: 'the report has no such attachment' });
