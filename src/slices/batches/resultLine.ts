/**
 * The findings about one subject of a batch: a line of canonical JSON (RFC 8785), the leaf of its
 * chunk's Merkle tree. Since version 2 what came in is sealed beside it (subjectSeal.ts).
 * docs/batch-evidence.md describes it; a verifier reads it without this code.
 *
 * The line has the subject as sent, the findings and their scores. Facts that all subjects of a
 * batch share (lists, settings, thresholds) stand once in the event that started it. The same
 * subject against the same lists always gives the same line.
 *
 * A chunk's blob is its lines, each ended by LF, gzipped (chunkResults.ts).
 */
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { BlobStore } from '#core/blobs';
import { DomainError } from '#core/kernel';
import { leafHash, merkleRoot } from '#platform/merkleTree';
import type { Subject } from '#slices/intake';
import type { ChunkResult, MatchType, SubjectDecision } from './batch.ts';

export interface BatchHit {
  readonly hit_id: string;
  /** Source id of the list, at most 32 characters. */
  readonly list_source: string;
  /** Id of the entry in that list, at most 128 characters. */
  readonly record_id: string;
  /** directScore, 0 to 1, four decimals. */
  readonly match_score: number;
  readonly match_type: MatchType;
  /** Whether the score reaches the threshold of a strong match. */
  readonly strong: boolean;
  /** The candidate with all of its scores, as a unit screening answers it. */
  readonly payload: Readonly<Record<string, unknown>>;
}

/** An entry that is no hit of its subject because a person decided so. */
export interface SuppressedEntry {
  readonly exclusion_id: string;
  readonly list_source: string;
  readonly match_type: MatchType;
  readonly record_id: string;
}

export interface SubjectResult {
  readonly batch_subject_id: string;
  readonly decision: SubjectDecision;
  /** As it is read: his key is destroyed, so that what is personal of him is empty. */
  readonly erased?: true;
  readonly external_id: string;
  /** Ordered by finalScore, then id. */
  readonly hits: readonly BatchHit[];
  /** Line of the file, or place in `subjects`, from 1. */
  readonly line: number;
  /** From 0, over the accepted subjects of the batch. */
  readonly ordinal: number;
  /** 16 bytes, base64. */
  readonly salt: string;
  readonly subject: Subject;
  /** Entries that are no hits by an exclusion; absent: there are none. */
  readonly suppressed?: readonly SuppressedEntry[];
  /** More entities reached the threshold than a screening answers. */
  readonly truncated: boolean;
  /** The name has nothing to screen by: never clear, a person must decide. */
  readonly unscreened?: 'name-empty';
}

const LF = 0x0a;
/** Fast before small: results are a hundredth of the work of making them. */
export const GZIP_LEVEL = 1;

const pack = promisify(gzip);
const gunzipped = promisify(gunzip);

/** The root over result lines, without their line ends; 64 hex characters. */
export function rootOfLines(lines: readonly (string | Uint8Array)[]): string {
  return merkleRoot(lines.map((line) => leafHash(line))).toString('hex');
}

export async function packLines(lines: readonly string[]): Promise<Buffer> {
  return pack(lines.map((line) => `${line}\n`).join(''), { level: GZIP_LEVEL });
}

/** The lines of a chunk's blob as bytes, for hashing; throws DomainError `blob-damaged`. */
export async function unpackLines(bytes: Uint8Array): Promise<Buffer[]> {
  const text = await gunzipped(bytes).catch((cause: Error) => {
    throw new DomainError('blob-damaged', { cause, detail: `lines of a chunk: ${cause.message}` });
  });
  if (text.length > 0 && text.at(-1) !== LF) {
    throw new DomainError('blob-damaged', {
      detail: 'lines of a chunk: the last one is not ended',
    });
  }
  const lines: Buffer[] = [];
  for (let from = 0; from < text.length; ) {
    const end = text.indexOf(LF, from);
    lines.push(text.subarray(from, end));
    from = end + 1;
  }
  return lines;
}

/** The result lines of a chunk, and of version 2 what is sealed beside each. */
export interface StoredLines {
  readonly lines: readonly Buffer[];
  /** Base64. */
  readonly sealed?: readonly Buffer[];
}

/** Those of a chunk that is done, in the order of its subjects. */
export async function readResultLines(
  blobs: Pick<BlobStore, 'get'>,
  { blob }: Pick<ChunkResult, 'blob'>,
): Promise<StoredLines> {
  const bytes = await blobs.get(blob);
  if (bytes === undefined) {
    throw new DomainError('blob-damaged', { detail: `results ${blob}: not in the store` });
  }
  const lines = await unpackLines(bytes);
  const [first] = lines;
  if (first === undefined || !isSealedLine(first)) return { lines };
  const subjects = Math.ceil(lines.length / 2);
  return { lines: lines.slice(0, subjects), sealed: lines.slice(subjects) };
}

/** The end of a line of version 2: no member of it sorts behind this one. */
const SEALED_END = Buffer.from('"version":2}');

/** Whether it is of version 2. */
export const isSealedLine = (line: Buffer): boolean =>
  line.subarray(-SEALED_END.length).equals(SEALED_END);

export const parseResult = (line: Uint8Array): SubjectResult =>
  JSON.parse(Buffer.from(line.buffer, line.byteOffset, line.byteLength).toString());
