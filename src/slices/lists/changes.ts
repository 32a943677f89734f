/**
 * What a version changes against the one before it, kept beside it for overlays and for batches
 * that screen only what is new (decisions 4.4): JSON lines `{"op","ftm_id"}` in no order.
 *
 *   added, updated, removed   by content: an entity that was only seen again is not updated
 *   seen                      only its dates differ, or the form in which a release writes it;
 *                             written where the version is an overlay
 */
import type { BlobStore } from '#core/blobs';
import { DomainError } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';

export type ChangeOp = 'added' | 'updated' | 'removed' | 'seen';

export interface EntityChange {
  readonly op: ChangeOp;
  readonly ftm_id: string;
}

export interface ListChanges {
  /** Absent: there was no version before, or it could not be read. */
  readonly lines: readonly Uint8Array[] | undefined;
  /** Ids whose line differs, dates included; absent: more than OVERLAY_CHANGES_MAX. */
  readonly touched: readonly EntityChange[] | undefined;
}

/** Ids that are remembered one by one: an overlay of more would be slower than a snapshot. */
export const OVERLAY_CHANGES_MAX = 200_000;
const CHUNK_CHARS = 64 * 1024;

/** Gathers the changes of one run. */
export class ChangeLog {
  readonly #isKept: boolean;
  readonly #counts: Record<ChangeOp, number> = { added: 0, removed: 0, seen: 0, updated: 0 };
  readonly #lines: Uint8Array[] = [];
  #text = '';
  #touched: EntityChange[] | undefined = [];

  /** `isKept` is false where there is no former version: everything is added then. */
  constructor(isKept: boolean) {
    this.#isKept = isKept;
    if (!isKept) this.#touched = undefined;
  }

  add(op: ChangeOp, ftm_id: string): void {
    this.#counts[op]++;
    if (!this.#isKept) return;
    this.#touched?.push({ ftm_id, op });
    if ((this.#touched?.length ?? 0) > OVERLAY_CHANGES_MAX) this.#touched = undefined;
    if (op === 'seen') return;
    this.#text += `${canonicalJson({ ftm_id, op })}\n`;
    if (this.#text.length >= CHUNK_CHARS) this.#settle();
  }

  finish(): ListChanges & { readonly added: number; updated: number; removed: number } {
    this.#settle();
    const { added, removed, updated } = this.#counts;
    const lines = this.#isKept ? this.#lines : undefined;
    return { added, lines, removed, touched: this.#touched, updated };
  }

  #settle(): void {
    if (this.#text !== '') this.#lines.push(Buffer.from(this.#text));
    this.#text = '';
  }
}

/** Address of the stored changes; undefined where there was nothing to compare with. */
export async function putChanges(
  blobs: Pick<BlobStore, 'put'>,
  changes: ListChanges,
  options: { readonly withSeen: boolean },
): Promise<string | undefined> {
  const { lines, touched } = changes;
  if (lines === undefined) return undefined;
  const seen = options.withSeen ? (touched ?? []).filter(({ op }) => op === 'seen') : [];
  const text = seen.map((change) => `${canonicalJson(change)}\n`).join('');
  async function* pieces() {
    yield* lines ?? [];
    yield Buffer.from(text);
  }
  return (await blobs.put(pieces())).address;
}

/** The changes of a version, from its `changesBlob`; undefined where the blob is gone. */
export async function readChanges(
  blobs: Pick<BlobStore, 'get'>,
  address: string,
): Promise<readonly EntityChange[] | undefined> {
  const bytes = await blobs.get(address);
  if (bytes === undefined) return undefined;
  try {
    return Buffer.from(bytes)
      .toString()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as EntityChange);
  } catch (cause) {
    throw new DomainError('blob-damaged', { cause, detail: `changes ${address}: not JSON lines` });
  }
}
