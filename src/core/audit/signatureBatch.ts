/**
 * Signatures of an export, verified on other threads while this one goes on hashing. Two batches
 * take turns: one fills while the other is verified, which bounds memory and keeps two cores busy.
 */
import assert from 'node:assert/strict';
import type { PublicKey } from '#platform/crypto';
import type { FirstBad } from './verifyReport.ts';

const BATCH_SIZE = 512;

/** One signature to verify; `place` is for the report. */
export interface SignatureTask {
  readonly key: PublicKey;
  readonly message: Uint8Array;
  readonly signature: Uint8Array;
  readonly place: { readonly seq: number; readonly line: number };
}

/**
 * Collects tasks and verifies them a batch behind. Call `turn` when `isFull`; after a failure no
 * further batch is verified.
 */
export class SignatureBatch {
  #filling: SignatureTask[] = [];
  #running: Promise<void> = Promise.resolve();
  #firstBad: FirstBad | undefined;

  get isFull(): boolean {
    return this.#filling.length >= BATCH_SIZE;
  }

  get hasFailed(): boolean {
    return this.#firstBad !== undefined;
  }

  add(task: SignatureTask): void {
    assert(this.#filling.length < BATCH_SIZE, 'turn a full batch first');
    this.#filling.push(task);
  }

  /** Waits for the running batch, then starts the one that was filled. */
  async turn(): Promise<void> {
    await this.#running;
    const tasks = this.#filling;
    this.#filling = [];
    if (!this.hasFailed) this.#running = this.#verify(tasks);
  }

  /** Verifies the rest; returns the first task, of all that were added, that does not verify. */
  async finish(): Promise<FirstBad | undefined> {
    await this.turn();
    await this.#running;
    return this.#firstBad;
  }

  async #verify(tasks: readonly SignatureTask[]): Promise<void> {
    const verdicts = await Promise.all(
      tasks.map(({ key, message, signature }) => key.verifyAsync(message, signature)),
    );
    const bad = tasks[verdicts.indexOf(false)];
    if (!bad) return;
    const detail = `it is not key ${bad.key.keyId}'s over this hash`;
    this.#firstBad = { ...bad.place, reason: 'signature-invalid', detail };
  }
}
