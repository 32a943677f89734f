/**
 * One session for each chain whose head this process holds. Its id stands in the head document. A
 * process that dies inside a transaction leaves it open on the server (for a minute, by default),
 * and with it a lock on the head. The process that takes over the lease kills the session first.
 */
import { type ClientSession, type MongoClient, MongoServerError } from 'mongodb';
import type { HeadDocument } from './collections.ts';

export type SessionId = NonNullable<HeadDocument['session']>;

export class ChainSessions {
  readonly #client: MongoClient;
  readonly #sessions = new Map<string, ClientSession>();

  constructor(client: MongoClient) {
    this.#client = client;
  }

  /** The id to be noted with the lease; the session is kept until `end`. */
  start(chain: string): SessionId | undefined {
    const session = this.#sessions.get(chain) ?? this.#client.startSession();
    this.#sessions.set(chain, session);
    return session.id?.id;
  }

  /** The chain's own session, or a passing one if it has none or is busy. */
  use<T>(chain: string, work: (session: ClientSession) => Promise<T>): Promise<T> {
    const session = this.#sessions.get(chain);
    const isFree = session !== undefined && !session.inTransaction();
    return isFree ? work(session) : this.#client.withSession(work);
  }

  async end(chain: string): Promise<void> {
    const session = this.#sessions.get(chain);
    this.#sessions.delete(chain);
    await session?.endSession();
  }

  /** Aborts what a former holder may have left open; it may as well have ended long ago. */
  async kill(id: SessionId): Promise<void> {
    try {
      await this.#client.db('admin').command({ killSessions: [{ id }] });
    } catch (error) {
      // Refused, or unknown to this server: then the lock ends with the server's own limit.
      if (!(error instanceof MongoServerError)) throw error;
    }
  }
}
