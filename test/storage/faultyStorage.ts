/**
 * A store whose calls fail now and then as those of a cluster do: refused (no primary, a broken
 * connection, a timeout before anything was done), or done while the answer is lost. By count and
 * not by chance, so that every call is failed in both ways and a failure can be had again.
 */
import { DomainError } from '#core/kernel';
import type { Storage } from '../../src/storage/index.ts';

export type FaultKind = 'refused' | 'answer-lost';

/** After its first two calls, of so many one fails. */
const CALLS_PER_FAULT = 15;

type Method = (...args: readonly unknown[]) => unknown;

export class FaultyStorage {
  readonly storage: Storage;
  /** `<port>.<method> <kind>` */
  readonly faults = new Set<string>();
  readonly #calls = new Map<string, number>();

  constructor(storage: Storage) {
    const { audit, outbox, tables } = storage;
    this.storage = {
      ...storage,
      audit: this.#port('audit', audit),
      outbox: this.#port('outbox', outbox),
      tables: this.#port('tables', tables),
    };
  }

  #port<Port extends object>(port: string, of: Port): Port {
    const methods = Object.entries(of).map(([name, method]) => [
      name,
      (...args: readonly unknown[]) => this.#call(`${port}.${name}`, method as Method, args),
    ]);
    return Object.fromEntries(methods) as Port;
  }

  async #call(name: string, method: Method, args: readonly unknown[]): Promise<unknown> {
    const kind = this.#faultOf(name);
    if (kind !== undefined) this.faults.add(`${name} ${kind}`);
    if (kind === 'refused') throw lost(name, kind);
    const answer = await method(...args);
    if (kind === 'answer-lost') throw lost(name, kind);
    return answer;
  }

  #faultOf(name: string): FaultKind | undefined {
    const call = (this.#calls.get(name) ?? 0) + 1;
    this.#calls.set(name, call);
    if (call === 1) return 'refused';
    if (call === 2) return 'answer-lost';
    if (call % CALLS_PER_FAULT !== 0) return undefined;
    return (call / CALLS_PER_FAULT) % 2 === 0 ? 'refused' : 'answer-lost';
  }
}

function lost(name: string, kind: FaultKind): DomainError {
  return new DomainError('store-unavailable', { detail: `${name}: ${kind}`, retryAfterS: 1 });
}
