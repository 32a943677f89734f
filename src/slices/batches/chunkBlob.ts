/**
 * The subjects of one chunk, passed from the worker that read the cohort to the one that screens
 * them: a blob of JSON lines `{"line", "subject"}`, gzipped. It is removed once the chunk is done,
 * since its result lines have the same and more.
 */
import { type BlobStore, openSealed, putSealed } from '#core/blobs';
import { DomainError } from '#core/kernel';
import type { Random } from '#platform/random';
import type { NumberedSubject, Subject } from '#slices/intake';
import type { BatchChunk } from './batch.ts';
import { underChunk } from './batchKeys.ts';
import { packLines, unpackLines } from './resultLine.ts';

/** The blob's address. Sealed under the chunk's seed, where it has one. */
export async function putSubjects(
  ports: { readonly blobs: Pick<BlobStore, 'put'>; readonly random: Random },
  subjects: readonly NumberedSubject[],
  seed: Uint8Array | undefined,
): Promise<string> {
  const lines = subjects.map(({ line, subject }) => JSON.stringify({ line, subject }));
  const bytes = await packLines(lines);
  if (seed !== undefined) return putSealed(ports, bytes, underChunk(seed, 'input'));
  return (await ports.blobs.put(bytes)).address;
}

/** Throws DomainError `blob-damaged` where the blob is gone, or is sealed under another seed. */
export async function readSubjects(
  blobs: Pick<BlobStore, 'get'>,
  { input }: Pick<BatchChunk, 'input'>,
  seed: Uint8Array | undefined,
): Promise<Uint8Array> {
  const bytes = await blobs.get(input);
  if (bytes !== undefined) {
    return seed === undefined ? bytes : openSealed(bytes, underChunk(seed, 'input'));
  }
  throw new DomainError('blob-damaged', { detail: `subjects ${input}: not in the store` });
}

/** Throws DomainError `blob-damaged` where they cannot be read, or their number differs. */
export async function unpackSubjects(
  bytes: Uint8Array,
  { input, subjects: expected }: Pick<BatchChunk, 'input' | 'subjects'>,
): Promise<readonly NumberedSubject[]> {
  const subjects = (await unpackLines(bytes)).map((text): NumberedSubject => {
    const { line, subject } = JSON.parse(text.toString()) as NumberedSubject;
    return { line, subject: inOrder(subject) };
  });
  if (subjects.length === expected) return subjects;
  const detail = `subjects ${input}: expected ${expected}, found ${subjects.length}`;
  throw new DomainError('blob-damaged', { detail });
}

/** Members as canonical JSON has them, so that the text of a result needs no sorting of its own. */
const inOrder = (subject: Subject): Subject =>
  Object.fromEntries(Object.entries(subject).sort(([a], [b]) => (a < b ? -1 : 1))) as Subject;
