/** The stored records with the planned ones laid over them, as a group's next change sees them. */
import type { ClientSession } from 'mongodb';
import type { Collections, RecordCollection, RecordDocument, RecordWrite } from './collections.ts';

export class RecordView {
  readonly #collections: Collections;
  readonly #session: ClientSession | undefined;
  readonly #planned = new Map<string, RecordWrite>();

  constructor(collections: Collections, session: ClientSession | undefined) {
    this.#collections = collections;
    this.#session = session;
  }

  writes(): RecordWrite[] {
    return [...this.#planned.values()];
  }

  async find(collection: RecordCollection, _id: string): Promise<RecordDocument | undefined> {
    const planned = this.#planned.get(`${collection} ${_id}`);
    if (planned !== undefined) return planned.record;
    const options = this.#session === undefined ? {} : { session: this.#session };
    const records = this.#collections.records[collection];
    return (await records.findOne({ _id }, options)) ?? undefined;
  }

  /** False unless the record stands at `expected`; 0 means that it must not exist. */
  async put(collection: RecordCollection, expected: number, record: RecordDocument) {
    const before = await this.find(collection, record._id);
    if ((before?.version ?? 0) !== expected) return false;
    const key = `${collection} ${record._id}`;
    const first = this.#planned.get(key);
    const versionBefore = first?.versionBefore ?? expected;
    this.#planned.set(key, { collection, record, versionBefore });
    return true;
  }
}
