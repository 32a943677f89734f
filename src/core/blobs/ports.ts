/** Where files are kept that records name by their content. src/storage/blob/ implements it. */
import type { EpochMs } from '#platform/clock';

/** How a blob is to be put; all of it may be left to the store. */
export interface PutOptions {
  /** For this put alone; without it, one is drawn. */
  readonly sealKey?: Uint8Array;
  /**
   * Before it nobody removes the blob: a later put of the same bytes may put that off, and never
   * brings it forward.
   */
  readonly retainUntil?: EpochMs;
  /** About, of a stream whose length is known: a long one is digested in a thread. */
  readonly expectedBytes?: number;
}

/** Content-addressed, write-once. The address is the SHA-256 hex of the bytes. */
export interface BlobStore {
  /** Durable when it resolves; storing the same bytes again is a no-op. */
  put(bytes: Uint8Array | AsyncIterable<Uint8Array>, options?: PutOptions): Promise<PutBlob>;
  /** Whole content, digest checked unless it has this seal; undefined when absent. */
  get(address: string, seal?: BlobSeal): Promise<Uint8Array | undefined>;
  /**
   * Into shared memory, checked as by `get`, without a second copy; into what `allocate` gives,
   * whose buffer may be longer than the bytes that it was asked for.
   */
  getShared(
    address: string,
    allocate?: (bytes: number) => SharedArrayBuffer,
    seal?: BlobSeal,
  ): Promise<SharedArrayBuffer | undefined>;
  /**
   * In pieces, in order; undefined when absent. The digest is known to be right only once the last
   * piece was taken: reading on then throws `blob-damaged` where it is not. Whoever has just put it
   * may have it held to what that put answered instead: its seal is a tenth of the work, and finds
   * whatever a disk, or anybody else, has done to it since.
   */
  open(address: string, put?: PutBlob): Promise<AsyncIterable<Uint8Array> | undefined>;
  /**
   * To read here and there in it; undefined when absent. Nothing is held to its address: for
   * callers who know what they will find.
   */
  openRanges(address: string): Promise<BlobRanges | undefined>;
  has(address: string): Promise<boolean>;
  /** Bytes of its content; undefined when absent. */
  size(address: string): Promise<number | undefined>;
  /** Every blob, in no order, with when it was put last. */
  list(): AsyncIterable<StoredBlob>;
  /**
   * Removes a blob that nobody has put since `putBefore` and that need not be retained any more, or
   * answers false: of a put and a remove at the same time the put wins.
   */
  remove(address: string, options: { readonly putBefore: EpochMs }): Promise<boolean>;
}

export interface BlobRanges {
  /** Fewer bytes where it ends before. */
  read(start: number, bytes: number): Promise<Uint8Array>;
  close(): Promise<void>;
}

export interface PutBlob {
  readonly address: string;
  readonly bytes: number;
  /** Of the bytes as they were given; absent: the store does not seal. Its key is never stored. */
  readonly seal?: BlobSeal;
}

export interface BlobSeal {
  /** Of this put alone. */
  readonly key: Uint8Array;
  readonly tag: string;
}

export interface StoredBlob {
  readonly address: string;
  readonly bytes: number;
  readonly putAt: EpochMs;
}
