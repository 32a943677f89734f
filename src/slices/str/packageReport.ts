/**
 * The package of a submission: one XML and the attachments, in a ZIP whose bytes follow from what
 * it holds. It is sealed under the report's key, and its digest stands in the chain.
 */
import { DomainError } from '#core/kernel';
import { sha256Hex } from '#platform/crypto';
import { type ZipEntry, zipped } from '#platform/zipStream';
import { openAttachment } from './attachments.ts';
import type { Attachment, StoredContent } from './content.ts';
import { keyOfReport, seal, unseal } from './contentStore.ts';
import type { StrDeskPorts, StrReadPorts } from './ports.ts';
import type { StrReport, StrSubmission } from './tables.ts';

/** A package that was made and sealed. */
export type MadePackage = Pick<
  StrSubmission,
  'blob' | 'packageBytes' | 'packageSha256' | 'xmlSha256'
>;

/** Throws `body-too-large` where the FIU takes no package of this size. */
export async function makePackage(
  ports: StrDeskPorts,
  report: StrReport,
  of: {
    readonly content: StoredContent;
    readonly entityReference: string;
    readonly xml: string;
    readonly bytesMax: number;
  },
): Promise<MadePackage> {
  const { bytesMax, content, entityReference, xml } = of;
  async function* entries(): AsyncGenerator<ZipEntry> {
    yield { content: [xml], path: `${fileStem(entityReference)}.xml` };
    for (const [place, attachment] of content.attachments.entries()) {
      const bytes = await openAttachment(ports, report, attachment);
      yield { content: [bytes], path: pathOf(attachment, place) };
    }
  }
  const pieces: Uint8Array[] = [];
  for await (const piece of zipped(entries())) pieces.push(piece);
  const bytes = Buffer.concat(pieces);
  if (bytes.length > bytesMax) {
    const detail = `the package: expected at most ${bytesMax} bytes, got ${bytes.length}`;
    throw new DomainError('body-too-large', { detail });
  }
  const key = await keyOfReport(ports, report);
  return {
    blob: await seal(ports, bytes, { key, kind: 'package' }),
    packageBytes: bytes.length,
    packageSha256: sha256Hex(bytes),
    xmlSha256: sha256Hex(xml),
  };
}

/** The bytes that were made. Throws `blob-damaged` where they are others. */
export async function readPackage(
  ports: Pick<StrReadPorts, 'blobs' | 'dataKeys'>,
  report: StrReport,
  { blob, packageSha256 }: Pick<StrSubmission, 'blob' | 'packageSha256'>,
): Promise<Buffer> {
  const key = await keyOfReport(ports, report);
  const bytes = await unseal(ports, blob, { key, kind: 'package' });
  if (sha256Hex(bytes) === packageSha256) return bytes;
  throw new DomainError('blob-damaged', { detail: 'a package is not what was submitted' });
}

/** The name of a file, in letters that every system takes. */
export const fileStem = (reference: string): string =>
  reference.replaceAll(/[^A-Za-z0-9._-]/g, '_').slice(0, NAME_CHARS_MAX);

const NAME_CHARS_MAX = 80;

/** In the order of the report; the number tells two of one name apart. */
const pathOf = ({ file_name }: Attachment, place: number): string =>
  `attachments/${String(place + 1).padStart(2, '0')}-${fileStem(file_name)}`;
