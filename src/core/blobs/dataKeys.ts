/**
 * Data keys: personal data is stored under them, and is erased by destroying them, also where the
 * bytes themselves cannot go (a bucket that holds evidence for ten years, a backup).
 *
 * A data key has a secret, for what goes whole, and may have a tree (keyTree.ts), for what goes one
 * by one. Both are stored wrapped by the key of DATA_KEY_FILE (AES-256-GCM), bound to their
 * record's id, tenant and version. Destroying is a commit: the record's next state lacks the seeds
 * and has another secret, and a signed entry beside it says whose data that was.
 *
 * A chain's entry is what decides whether something is erased. An older record that somebody puts
 * back brings no erased person back to those who read through core/audit.
 */
import { createCipheriv, createDecipheriv } from 'node:crypto';
import { DomainError, type Tables } from '#core/kernel';
import type { Random } from '#platform/random';
import { type TreePlace, type TreeSeed, withoutSeed } from './keyTree.ts';
import type { DataKeyRecord } from './ports.ts';
import { dataKeyTable } from './tables.ts';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const SECRET_BYTES = 32;

/** A data key, open. */
export interface DataKey extends Pick<DataKeyRecord, 'keyId' | 'tenantId' | 'version'> {
  /** 32 bytes; another one in each version. */
  readonly secret: Buffer;
  /** Empty where it has no tree, or all of it was destroyed. */
  readonly seeds: readonly TreeSeed[];
}

/** A data key with the record that a commit is to write. */
export interface StoredDataKey {
  readonly key: DataKey;
  readonly record: DataKeyRecord;
}

type Named = Pick<DataKeyRecord, 'keyId' | 'tenantId'>;

/** Makes data keys, opens them, and says what destroying a part of one leaves. */
export class DataKeys {
  readonly #master: Uint8Array;
  readonly #random: Random;
  readonly #tables: Pick<Tables, 'find' | 'page'>;

  constructor(options: {
    /** The key of DATA_KEY_FILE, 32 bytes. */
    readonly master: Uint8Array;
    readonly random: Random;
    readonly tables: Pick<Tables, 'find' | 'page'>;
  }) {
    this.#master = options.master;
    this.#random = options.random;
    this.#tables = options.tables;
  }

  /** 32 random bytes, for a key whose record is made later. */
  drawSecret(): Buffer {
    return Buffer.from(this.#random.bytes(SECRET_BYTES));
  }

  /** A key that is not stored yet. Without `seeds` it has the whole tree of a new root. */
  make(
    named: Named,
    of: { readonly secret?: Buffer; readonly seeds?: readonly TreeSeed[] } = {},
  ): StoredDataKey {
    const root: TreeSeed = { depth: 0, index: 0, seed: this.drawSecret() };
    const { secret = this.drawSecret(), seeds = [root] } = of;
    return this.#stored({ ...named, secret, seeds, version: 1 });
  }

  /** Undefined where there is none. Throws `blob-damaged` where it is not what was written. */
  async find({ keyId, tenantId }: Named): Promise<DataKey | undefined> {
    const record = await this.#tables.find(dataKeyTable, { keyId });
    return record?.tenantId === tenantId ? this.open(record) : undefined;
  }

  open(record: DataKeyRecord): DataKey {
    const { keyId, tenantId, version } = record;
    const { secret, seeds } = JSON.parse(this.#unwrapped(record)) as PlainKey;
    return {
      keyId,
      secret: Buffer.from(secret, 'base64'),
      seeds: seeds.map(([depth, index, seed]) => ({
        depth,
        index,
        seed: Buffer.from(seed, 'base64'),
      })),
      tenantId,
      version,
    };
  }

  /** The next state of a key: without these places of its tree, and under another secret. */
  without(key: DataKey, places: readonly TreePlace[]): StoredDataKey {
    const seeds = places.reduce(withoutSeed, key.seeds);
    return this.#stored({
      ...key,
      secret: this.drawSecret(),
      seeds,
      version: key.version + 1,
    });
  }

  /** Whether DATA_KEY_FILE is the one that wrapped what is stored; true where nothing is. */
  async isOwn(): Promise<boolean> {
    const { records } = await this.#tables.page(dataKeyTable, { index: 'key', limit: 1 });
    try {
      for (const record of records) this.#unwrapped(record);
      return true;
    } catch (error) {
      if (error instanceof DomainError) return false;
      throw error;
    }
  }

  #stored(key: DataKey): StoredDataKey {
    const { keyId, tenantId, version } = key;
    const plain: PlainKey = {
      secret: key.secret.toString('base64'),
      seeds: key.seeds.map(({ depth, index, seed }) => [depth, index, seed.toString('base64')]),
    };
    const nonce = this.#random.bytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#master, nonce).setAAD(boundTo(key));
    const text = Buffer.concat([cipher.update(JSON.stringify(plain)), cipher.final()]);
    const wrapped = Buffer.concat([nonce, text, cipher.getAuthTag()]).toString('base64');
    return { key, record: { keyId, tenantId, version, wrapped } };
  }

  #unwrapped(record: DataKeyRecord): string {
    const bytes = Buffer.from(record.wrapped, 'base64');
    const nonce = bytes.subarray(0, NONCE_BYTES);
    try {
      const decipher = createDecipheriv(CIPHER, this.#master, nonce)
        .setAAD(boundTo(record))
        .setAuthTag(bytes.subarray(-TAG_BYTES));
      const text = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
      return Buffer.concat([text, decipher.final()]).toString();
    } catch (cause) {
      const detail = `data key ${record.keyId}: not what was written, or of another DATA_KEY_FILE`;
      throw new DomainError('blob-damaged', { cause, detail });
    }
  }
}

interface PlainKey {
  readonly secret: string;
  readonly seeds: readonly (readonly [depth: number, index: number, seed: string])[];
}

const boundTo = ({ keyId, tenantId, version }: Pick<DataKeyRecord, 'version'> & Named): Buffer =>
  Buffer.from(`data-key-v1\0${tenantId}\0${keyId}\0${version}`);
