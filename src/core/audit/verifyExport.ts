/**
 * Verifies an export offline. It needs the lines, the public keys and, to detect a cut tail or an
 * old backup, a checkpoint from outside. It trusts only the keys.
 *
 * Streaming: memory does not grow with the chain, but by a few bytes for each event that was
 * erased, until the entry of its erasure is met. Hashing runs here, signatures on libuv's threads
 * one batch behind, so two cores are busy. The first bad line is reported, whichever check finds
 * it: a hash that breaks later than a pending signature does not hide it.
 */
import { StrictJsonError } from '#platform/strictJson';
import { GENESIS_HASH, isSameHash, refuseLink, signatureMessage } from './chain.ts';
import { parseCheckpoint, refuseCheckpoint } from './checkpoint.ts';
import { ERASED_ACTION } from './erasures.ts';
import { EXPORT_VERSION } from './exportAudit.ts';
import type { Gap } from './gap.ts';
import { type ChainKeys, chainKeys } from './keyRing.ts';
import type { ChainHead, Checkpoint } from './ports.ts';
import { type Line, LineTooLong, readLines } from './readLines.ts';
import { SignatureBatch } from './signatureBatch.ts';
import {
  type CheckedEvent,
  checkEvent,
  EventRefused,
  type JsonRecord,
  parseLine,
  readEventLine,
  wordEvent,
} from './verifyEvent.ts';
import { Bad, type BadReason, type FirstBad } from './verifyReport.ts';

/** What to verify, and against what. */
export interface VerifyOptions {
  readonly input: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
  /** The document of `keys public`, parsed. */
  readonly keys: unknown;
  /** A checkpoint kept outside the database and the export. */
  readonly checkpoint?: Checkpoint;
  /** False verifies hashes and checkpoints only: ten times faster, and enough against accidents. */
  readonly signatures?: boolean;
  /** Hears of each event whose hash and place are good; its signature may still fail. */
  readonly onEvent?: (event: JsonRecord) => void;
}

/** The result of a verification; `firstBad` is absent where `ok`. */
export interface VerifyReport {
  readonly ok: boolean;
  readonly tenantId: string | undefined;
  /** Events that were checked, and how many of these have no open members any more. */
  readonly events: number;
  readonly erased: number;
  readonly checkpoints: number;
  /** Numbers without events, each named by the signed entry behind it. */
  readonly gaps: readonly Pick<Gap, 'fromSeq' | 'untilSeq'>[];
  /** The last event that was reached. */
  readonly head: ChainHead;
  readonly firstBad?: FirstBad;
}

/**
 * Verifies the input to its end or its first bad line. Bad content never throws; a broken stream or
 * unreadable keys do.
 */
export async function verifyExport(options: VerifyOptions): Promise<VerifyReport> {
  const verification = new Verification(options);
  const firstBad = await verification.run();
  return { ok: firstBad === undefined, ...verification.counts(), ...(firstBad && { firstBad }) };
}

class Verification {
  readonly #options: VerifyOptions;
  readonly #signatures = new SignatureBatch();
  #keys: ChainKeys | undefined;
  #tenantId: string | undefined;
  #head: ChainHead = { seq: 0, hash: GENESIS_HASH };
  /** The seq before the first event of this export; its hash comes from a checkpoint. */
  #anchorSeq = 0;
  #isAnchored = true;
  #isOutsideSeen = false;
  /** The last line was a checkpoint of the head. */
  #isClosed = false;
  #line = 0;
  /** Lines of events without open members, by seq, that no entry has named yet. */
  readonly #unnamed = new Map<number, number>();
  #events = 0;
  #erased = 0;
  #checkpoints = 0;
  readonly #gaps: Pick<Gap, 'fromSeq' | 'untilSeq'>[] = [];

  constructor(options: VerifyOptions) {
    this.#options = options;
  }

  counts(): Omit<VerifyReport, 'ok' | 'firstBad'> {
    return {
      tenantId: this.#tenantId,
      events: this.#events,
      erased: this.#erased,
      checkpoints: this.#checkpoints,
      gaps: this.#gaps,
      head: this.#head,
    };
  }

  async run(): Promise<FirstBad | undefined> {
    const found = await this.#readAll();
    const unsigned = await this.#signatures.finish();
    // A signature that was still pending belongs to an earlier line than the one that ended the
    // reading.
    return unsigned ?? found;
  }

  async #readAll(): Promise<FirstBad | undefined> {
    try {
      for await (const lines of readLines(this.#options.input)) {
        for (const line of lines) {
          this.#line = line.number;
          this.#check(line);
          if (this.#signatures.isFull) await this.#signatures.turn();
        }
        if (this.#signatures.hasFailed) return undefined;
      }
      this.#checkEnd();
      return undefined;
    } catch (error) {
      return this.#explain(error);
    }
  }

  #check({ bytes }: Line): void {
    if (this.#tenantId === undefined) {
      this.#takeHeader(readRecord(bytes));
      return;
    }
    const exported = readEventLine(bytes);
    if (exported) {
      this.#takeEvent(checkEvent(exported, this.#tenantId), exported.event);
      return;
    }
    const line = readRecord(bytes);
    const { type } = line;
    if (type !== 'event' && type !== 'checkpoint') {
      throw new Bad('line-malformed', 'type: expected event or checkpoint');
    }
    if (Object.keys(line).sort().join() !== [type, 'type'].sort().join()) {
      throw new Bad('line-malformed', `expected the members type and ${type}`);
    }
    if (type === 'checkpoint') {
      this.#takeCheckpoint(line.checkpoint);
      return;
    }
    const worded = wordEvent(line.event);
    this.#takeEvent(checkEvent(worded, this.#tenantId), worded.event);
  }

  #takeHeader(header: JsonRecord): void {
    const { type, version, tenant_id, from_seq } = header;
    if (type !== 'export') throw new Bad('header-missing', 'the first line is no export header');
    if (version !== EXPORT_VERSION) {
      throw new Bad('version-unknown', `version: expected ${EXPORT_VERSION}`);
    }
    if (typeof tenant_id !== 'string' || tenant_id === '') {
      throw new Bad('header-missing', 'tenant_id: expected a string');
    }
    if (!Number.isSafeInteger(from_seq) || Number(from_seq) < 1) {
      throw new Bad('header-missing', 'from_seq: expected an integer from 1');
    }
    this.#tenantId = tenant_id;
    this.#keys = chainKeys(this.#options.keys, tenant_id);
    this.#anchorSeq = Number(from_seq) - 1;
    this.#isAnchored = this.#anchorSeq === 0;
    this.#head = { seq: this.#anchorSeq, hash: GENESIS_HASH };
    this.#checkOutside();
  }

  /** Checks all of the outside checkpoint that does not need the chain. */
  #checkOutside(): void {
    const { checkpoint } = this.#options;
    if (!checkpoint) return;
    if (checkpoint.tenant_id !== this.#tenantId) {
      throw new Bad('checkpoint-invalid', 'the outside one is of another chain', checkpoint.seq);
    }
    this.#assertSigned(checkpoint, 'outside checkpoint');
    if (checkpoint.seq < this.#anchorSeq) {
      throw new Bad('checkpoint-uncovered', `the export begins behind seq ${checkpoint.seq}`);
    }
    if (this.#isAnchored) this.#meetOutside();
  }

  /** Called when the chain reaches a seq. The outside checkpoint of that seq must agree. */
  #meetOutside(): void {
    const outside = this.#options.checkpoint;
    if (outside?.seq !== this.#head.seq) return;
    if (!isSameHash(outside.hash, this.#head.hash)) {
      throw new Bad('checkpoint-mismatch', 'the outside checkpoint has another hash', outside.seq);
    }
    this.#isOutsideSeen = true;
  }

  #takeEvent(event: CheckedEvent, members: JsonRecord): void {
    if (!this.#isAnchored) {
      throw new Bad('start-unanchored', 'an export that begins late begins with a checkpoint');
    }
    this.#checkLink(event);
    if (this.#options.signatures !== false) this.#askSignature(event);
    this.#head = { seq: event.seq, hash: event.hash };
    this.#events++;
    this.#noteErasure(event, members);
    this.#options.onEvent?.(members);
    this.#isClosed = false;
    this.#meetOutside();
  }

  /** An event follows the one before it, or names the gap between them. */
  #checkLink(event: CheckedEvent): void {
    const { gap } = event;
    const isNamed = gap?.fromSeq === this.#head.seq + 1 && gap.untilSeq === event.seq - 1;
    const before = isNamed ? { ...this.#head, seq: gap.untilSeq } : this.#head;
    const refusal = refuseLink(before, event);
    if (refusal) throw new Bad('chain-broken', refusal, this.#head.seq + 1);
    if (!isNamed) return;
    if (gap.checkpoint.tenant_id !== this.#tenantId) {
      throw new Bad('checkpoint-invalid', 'the gap names one of another chain', event.seq);
    }
    this.#assertSigned(gap.checkpoint, 'checkpoint of the gap');
    const outside = this.#options.checkpoint?.seq ?? 0;
    if (outside >= gap.fromSeq && outside <= gap.untilSeq) {
      const lost = `events ${gap.fromSeq} to ${outside} are lost, seq ${event.seq} says`;
      throw new Bad('checkpoint-lost', lost, outside);
    }
    this.#gaps.push({ fromSeq: gap.fromSeq, untilSeq: gap.untilSeq });
  }

  #noteErasure({ isOpen, seq }: CheckedEvent, { action, erased_seq, type }: JsonRecord): void {
    if (!isOpen) {
      this.#erased++;
      this.#unnamed.set(seq, this.#line);
    }
    // Only what stands before the entry: nothing is erased in advance.
    if (type === 'entry' && action === ERASED_ACTION && Number(erased_seq) < seq) {
      this.#unnamed.delete(Number(erased_seq));
    }
  }

  #askSignature(event: CheckedEvent): void {
    const key = this.#keys?.forEvent(event.keyId, event.seq) ?? 'key-unknown';
    if (typeof key === 'string') throw new Bad(key, `key ${event.keyId}`, event.seq);
    this.#signatures.add({
      key,
      message: signatureMessage(event.hash),
      signature: event.signature,
      place: { seq: event.seq, line: this.#line },
    });
  }

  #takeCheckpoint(value: unknown): void {
    const checkpoint = parseCheckpoint(value);
    if (!checkpoint) throw new Bad('checkpoint-invalid', 'it does not have the members of one');
    if (checkpoint.tenant_id !== this.#tenantId) {
      throw new Bad('checkpoint-invalid', 'it is of another chain', checkpoint.seq);
    }
    this.#assertSigned(checkpoint, 'checkpoint');
    if (checkpoint.seq > this.#head.seq) {
      const detail = `events ${this.#head.seq + 1} to ${checkpoint.seq} are missing`;
      throw new Bad('tail-missing', detail, this.#head.seq + 1);
    }
    if (!this.#isAnchored) this.#anchor(checkpoint);
    if (checkpoint.seq !== this.#head.seq || !isSameHash(checkpoint.hash, this.#head.hash)) {
      throw new Bad('checkpoint-mismatch', 'it is not of the event before it', checkpoint.seq);
    }
    this.#checkpoints++;
    this.#isClosed = true;
  }

  #anchor(checkpoint: Checkpoint): void {
    if (checkpoint.seq !== this.#anchorSeq) {
      throw new Bad('start-unanchored', `expected a checkpoint of seq ${this.#anchorSeq}`);
    }
    this.#head = { seq: checkpoint.seq, hash: checkpoint.hash };
    this.#isAnchored = true;
    this.#meetOutside();
  }

  #assertSigned(checkpoint: Checkpoint, name: string): void {
    const refusal = this.#keys ? refuseCheckpoint(checkpoint, this.#keys) : 'no keys';
    if (refusal) throw new Bad('checkpoint-invalid', `${name}: ${refusal}`, checkpoint.seq);
  }

  #checkEnd(): void {
    const { checkpoint } = this.#options;
    if (this.#tenantId === undefined) throw new Bad('header-missing', 'the input is empty');
    if (checkpoint && !this.#isOutsideSeen) {
      const end = `the chain ends at seq ${this.#head.seq}`;
      const detail = `${end}, smaller than the checkpoint's ${checkpoint.seq}`;
      throw new Bad('tail-missing', detail, this.#head.seq + 1);
    }
    if (!this.#isClosed) {
      throw new Bad(
        'tail-missing',
        'the export does not end with a checkpoint',
        this.#head.seq + 1,
      );
    }
    for (const [seq, line] of this.#unnamed) {
      this.#line = line;
      const detail = 'open members are gone, and no later entry says that they were erased';
      throw new Bad('erasure-missing', detail, seq);
    }
  }

  /** Turns errors about the content into findings; rethrows all others. */
  #explain(error: unknown): FirstBad {
    const at = (reason: BadReason, detail: string, seq = this.#head.seq + 1): FirstBad => ({
      seq,
      line: this.#line,
      reason,
      detail,
    });
    if (error instanceof Bad) return at(error.reason, error.message, error.seq);
    if (error instanceof EventRefused) return at(error.reason, error.message);
    if (error instanceof StrictJsonError) return at('line-malformed', error.message);
    if (error instanceof LineTooLong) {
      return { ...at('line-malformed', error.message), line: error.line };
    }
    throw error;
  }
}

function readRecord(bytes: Uint8Array): JsonRecord {
  const line = parseLine(bytes);
  if (typeof line === 'object' && line !== null && !Array.isArray(line)) return line as JsonRecord;
  throw new Bad('line-malformed', 'expected an object');
}
