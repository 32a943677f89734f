/**
 * What the streams of a process share. One look at the stamp of all logs says whether some has
 * grown; of a log that has, each line is read, proved and written as text once, and every stream of
 * its tenant is given that text. A stream that is behind reads the log itself, and joins at its
 * end; those that stand at one place read together.
 */
import type { TenantId } from '#core/kernel';
import type { Clock } from '#platform/clock';
import type { Alert } from './tables.ts';

/** A line of a log as streams send it. */
export interface Frame {
  readonly seq: number;
  readonly alert: Alert;
  readonly text: string;
  /** Length of the text in UTF-8. */
  readonly bytes: number;
}

/** Frames in the order of their log. */
export interface FramePage {
  readonly frames: readonly Frame[];
  /** The last line that was read; of none the place before. */
  readonly seq: number;
}

/** A stream that has come to the end of its log. */
export interface Follower {
  /** What the log has behind the former end. */
  push(page: FramePage): void;
  /** Called as time goes on, several times a second. */
  tick(nowMs: number): void;
}

/** What feeds work with. */
export interface FeedPorts {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  /** Differs where some log has grown. */
  readonly stamp: () => Promise<number>;
  readonly ends: (tenants: readonly TenantId[]) => Promise<ReadonlyMap<TenantId, number>>;
  readonly read: (tenantId: TenantId, afterSeq: number) => Promise<FramePage>;
  /** A look or a read failed; the next one comes in time. */
  readonly onFailed: (error: unknown) => void;
}

/** Pages that are kept until the next look: what was erased since is read no more. */
const PAGES_MAX = 16;

class Feed {
  readonly followers = new Set<Follower>();
  /** The line that all followers have been given. */
  seq: number;
  /** The log has lines up to here. */
  end: number;
  isReading = false;

  constructor(seq: number) {
    this.seq = seq;
    this.end = seq;
  }
}

/** Feeds of a process, by tenant. Its owner calls `look` often while there is a stream. */
export class AlertFeeds {
  readonly #ports: FeedPorts;
  readonly #feeds = new Map<TenantId, Feed>();
  readonly #pages = new Map<string, Promise<FramePage>>();
  /** Undefined: the ends of all logs are looked at. */
  #stamp: number | undefined;
  #isLooking = false;

  constructor(ports: FeedPorts) {
    this.#ports = ports;
  }

  /**
   * Follows a log from `seq` on, where that is its end; else undefined, and the stream reads on.
   * The returned function ends it.
   */
  join(tenantId: TenantId, seq: number, follower: Follower): (() => void) | undefined {
    const known = this.#feeds.get(tenantId);
    if (known !== undefined && seq < known.seq) return undefined;
    const feed = known ?? new Feed(seq);
    if (known === undefined) {
      this.#feeds.set(tenantId, feed);
      // The log may have grown since it was read.
      this.#stamp = undefined;
    }
    feed.followers.add(follower);
    return () => {
      feed.followers.delete(follower);
      if (feed.followers.size === 0 && this.#feeds.get(tenantId) === feed) {
        this.#feeds.delete(tenantId);
      }
    };
  }

  /** Lines behind a place. */
  pageAfter(tenantId: TenantId, afterSeq: number): Promise<FramePage> {
    const key = `${tenantId}/${afterSeq}`;
    const known = this.#pages.get(key);
    if (known !== undefined) return known;
    const [oldest] = this.#pages.keys();
    if (this.#pages.size >= PAGES_MAX && oldest !== undefined) this.#pages.delete(oldest);
    const page = this.#ports.read(tenantId, afterSeq);
    this.#pages.set(key, page);
    const forget = (): void => void this.#pages.delete(key);
    // The end of a log is read anew, and so is what failed: its readers get the error.
    page.then(({ frames }) => frames.length === 0 && forget(), forget);
    return page;
  }

  /** Tells followers the time, and gives them what their logs have got. Never rejects. */
  async look(): Promise<void> {
    const nowMs = this.#ports.clock.monotonicMs();
    for (const { followers } of this.#feeds.values()) {
      for (const follower of followers) follower.tick(nowMs);
    }
    this.#pages.clear();
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      await this.#readEnds();
    } catch (error) {
      this.#stamp = undefined;
      this.#ports.onFailed(error);
    } finally {
      this.#isLooking = false;
    }
    await Promise.all([...this.#feeds].map(([tenantId, feed]) => this.#advance(tenantId, feed)));
  }

  async #readEnds(): Promise<void> {
    const before = this.#stamp;
    const stamp = await this.#ports.stamp();
    if (stamp === before) return;
    // A feed that begins meanwhile takes it away again, and the next look asks for its end.
    this.#stamp = stamp;
    const ends = await this.#ports.ends([...this.#feeds.keys()]);
    for (const [tenantId, feed] of this.#feeds) {
      feed.end = Math.max(feed.end, ends.get(tenantId) ?? 0);
    }
  }

  /** Reads a log to its end. Where that fails the next look goes on. */
  async #advance(tenantId: TenantId, feed: Feed): Promise<void> {
    if (feed.isReading || feed.seq >= feed.end) return;
    feed.isReading = true;
    try {
      while (feed.seq < feed.end && feed.followers.size > 0) {
        const page = await this.#ports.read(tenantId, feed.seq);
        // The purge took what was to come: nothing is left behind this place.
        if (page.seq === feed.seq) feed.end = feed.seq;
        feed.seq = page.seq;
        for (const follower of feed.followers) follower.push(page);
      }
    } catch (error) {
      this.#ports.onFailed(error);
    } finally {
      feed.isReading = false;
    }
  }
}
