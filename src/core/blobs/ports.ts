/** Storage of files that records name by their content. src/storage/blob/ implements it. */
import type { TenantId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';

/** How a blob is stored. Every member may be left to the store. */
export interface PutOptions {
  /** Key of this put's seal, for this put alone; without it, the store draws one. */
  readonly sealKey?: Uint8Array;
  /**
   * The blob is not removed before this instant. A later put of the same bytes may move it later,
   * never earlier.
   */
  readonly retainUntil?: EpochMs;
  /** Approximate length of a stream. A long stream is digested in a thread. */
  readonly expectedBytes?: number;
  /**
   * A stream comes at the pace of a client. Then it is digested as it comes, here: pieces are not
   * held until they are worth a thread, and no thread waits for hours.
   */
  readonly isPaced?: boolean;
}

/** Content-addressed, write-once. The address is the SHA-256 hex of the bytes. */
export interface BlobStore {
  /** Durable when it resolves; storing the same bytes again is a no-op. */
  put(bytes: Uint8Array | AsyncIterable<Uint8Array>, options?: PutOptions): Promise<PutBlob>;
  /**
   * The whole content, verified by its digest, or by `seal` where the blob has it; undefined when
   * absent.
   */
  get(address: string, seal?: BlobSeal): Promise<Uint8Array | undefined>;
  /**
   * The content in shared memory, verified as by `get`, without a second copy. It is written into
   * the result of `allocate`, whose buffer may be longer than the bytes requested.
   */
  getShared(
    address: string,
    allocate?: (bytes: number) => SharedArrayBuffer,
    seal?: BlobSeal,
  ): Promise<SharedArrayBuffer | undefined>;
  /**
   * The content in pieces, in order; undefined when absent. The digest is known to match only once
   * the last piece was taken: reading on then throws `blob-damaged` where it does not. A caller
   * that has just put the blob may pass the result of that put. Its seal is verified instead, which
   * is a tenth of the work and detects any change since.
   */
  open(address: string, put?: PutBlob): Promise<AsyncIterable<Uint8Array> | undefined>;
  /**
   * Opens a blob to read parts of it; undefined when absent. The content is not verified, so the
   * caller must recognise what it reads.
   */
  openRanges(address: string): Promise<BlobRanges | undefined>;
  has(address: string): Promise<boolean>;
  /** Bytes of the content; undefined when absent. */
  size(address: string): Promise<number | undefined>;
  /** Every blob, in no order, with the time of its latest put. */
  list(): AsyncIterable<StoredBlob>;
  /**
   * Removes a blob that was not put since `putBefore` and need not be retained any more; otherwise
   * false. If a put and a remove run at the same time, the put wins.
   */
  remove(address: string, options: { readonly putBefore: EpochMs }): Promise<boolean>;
  /** Small documents by name. Absent where they would only lie beside the data directory. */
  readonly notes?: BlobNotes;
}

/** Small documents by name beside the blobs, of each the latest. */
export interface BlobNotes {
  put(name: string, text: string): Promise<void>;
  get(name: string): Promise<string | undefined>;
  names(): AsyncIterable<string>;
}

/** An open blob, for reads at any position. The caller closes it. */
export interface BlobRanges {
  /** Fewer bytes where the content ends earlier. */
  read(start: number, bytes: number): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** What a put stored: the address (SHA-256 in hex) and the length of the content in bytes. */
export interface PutBlob {
  readonly address: string;
  readonly bytes: number;
  /**
   * Seal of the bytes as they were given; absent where the store does not seal. Its key is never
   * stored.
   */
  readonly seal?: BlobSeal;
}

/** A keyed checksum of one put, cheaper to verify than the digest. */
export interface BlobSeal {
  /** The key of this put alone. */
  readonly key: Uint8Array;
  readonly tag: string;
}

/** A blob in the listing of a store, with the time of its latest put. */
export interface StoredBlob {
  readonly address: string;
  readonly bytes: number;
  readonly putAt: EpochMs;
}

/** The blob that holds a file's bytes sealed, and the data key under which (sealedBlobs.ts). */
export interface SealedPlace {
  readonly blob: string;
  readonly keyId: string;
  /** The key's version: its next one has another secret, and the blob is of no use then. */
  readonly keyVersion: number;
}

/** A file of a record: what it is, and where it lies. */
export interface StoredFile {
  /** SHA-256 of its bytes in hex; its blob's address where it is not sealed. */
  readonly address: string;
  readonly bytes: number;
  readonly sealed?: SealedPlace;
}

/** A data key as it is stored. */
export interface DataKeyRecord {
  /** What lies under it: `batch/<id>` for one. */
  readonly keyId: string;
  readonly tenantId: TenantId;
  /** Nonce, ciphertext and tag, base64. */
  readonly wrapped: string;
  readonly version: number;
}
