/**
 * A report as it is written: records in windows, each validated with the head and end of its
 * message and checked by the rules, then handed on as bytes. Nothing but one window is in memory.
 */
import { createHash } from 'node:crypto';
import type { ReportedAccount } from './account.ts';
import { accountFindings, type ReportFinding, type RuleContext } from './reportRules.ts';
import type { SchemaValidator } from './reportSchemas.ts';
import {
  accountXml,
  headXml,
  nilXml,
  type PoolTotal,
  poolXml,
  type ReportHead,
  tailXml,
} from './reportXml.ts';
import type { Xml } from './xmlWriter.ts';

/** Records of one message; the packages of IDES end at 200 MB. */
export const MESSAGE_RECORDS_MAX = 250_000;
/** Bytes of the XML of one message. */
export const MESSAGE_BYTES_MAX = 1_900_000_000;
/** Findings that are kept; all are counted. */
export const FINDINGS_MAX = 1_000;

/** What was found in a whole declaration. */
export class ReportFindings {
  readonly kept: ReportFinding[] = [];
  errors = 0;
  warnings = 0;

  add(found: ReportFinding): void {
    if (found.severity === 'error') this.errors += 1;
    else this.warnings += 1;
    if (this.kept.length < FINDINGS_MAX) this.kept.push(found);
  }
}

/** A record that is to be written; without an account it was checked when it was first filed. */
export interface ReportItem {
  readonly account?: ReportedAccount;
  readonly xml: (head: ReportHead) => Xml;
}

/** An account as a record. */
export const itemOf = (account: ReportedAccount): ReportItem => ({
  account,
  xml: (head) => accountXml(head, account),
});

/** Records as a feed that several messages take from, one after the other. */
export class ReportFeed {
  readonly #source: AsyncIterator<readonly ReportItem[]>;
  #waiting: readonly ReportItem[] = [];
  #isDone = false;

  constructor(source: AsyncIterable<readonly ReportItem[]>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** Whether there is another record; reads on for it. */
  async hasMore(): Promise<boolean> {
    while (this.#waiting.length === 0 && !this.#isDone) {
      const next = await this.#source.next();
      if (next.done === true) this.#isDone = true;
      else this.#waiting = next.value;
    }
    return this.#waiting.length > 0;
  }

  /** Some records, at most as many; empty at the end. */
  async take(max: number): Promise<readonly ReportItem[]> {
    if (!(await this.hasMore())) return [];
    const taken = this.#waiting.slice(0, max);
    this.#waiting = this.#waiting.slice(taken.length);
    return taken;
  }

  /** Passes over as many. */
  async pass(records: number): Promise<void> {
    for (let left = records; left > 0; ) {
      const { length } = await this.take(left);
      if (length === 0) return;
      left -= length;
    }
  }

  /** Ends it before its end. */
  async close(): Promise<void> {
    await this.#source.return?.();
  }
}

/** What one message is written with. */
export interface MessageParts {
  readonly head: ReportHead;
  readonly context: RuleContext;
  readonly validator: SchemaValidator;
  readonly findings: ReportFindings;
  readonly feed: ReportFeed;
  /** Pools, once the accounts have all been written. */
  readonly pools: () => readonly PoolTotal[];
  readonly recordsMax?: number;
  /** Told how many records were written. */
  readonly onRecords: (records: number) => void;
}

/** The bytes of one message. */
export async function* messageBytes(parts: MessageParts): AsyncGenerator<Uint8Array> {
  const { feed, head, onRecords, recordsMax = MESSAGE_RECORDS_MAX } = parts;
  const begin = headXml(head);
  const end = tailXml(head);
  let records = 0;
  let bytes = 0;
  yield Buffer.from(begin);
  while (!head.isNil && records < recordsMax && bytes < MESSAGE_BYTES_MAX) {
    const items = await feed.take(recordsMax - records);
    if (items.length === 0) break;
    const window = items.map(({ xml }) => xml(head));
    check(parts, { begin, end, items, window });
    const written = Buffer.from(window.join(''));
    records += items.length;
    bytes += written.length;
    yield written;
  }
  const last = [
    ...(head.isNil ? [nilXml(head)] : []),
    ...((await feed.hasMore()) ? [] : parts.pools().map((pool) => poolXml(head, pool))),
  ];
  if (last.length > 0) {
    check(parts, { begin, end, items: [], window: last });
    yield Buffer.from(last.join(''));
  }
  onRecords(records + last.length);
  yield Buffer.from(end);
}

interface Window {
  readonly begin: Xml;
  readonly end: Xml;
  readonly items: readonly ReportItem[];
  readonly window: readonly Xml[];
}

function check({ context, findings, validator }: MessageParts, of: Window): void {
  const { begin, end, items, window } = of;
  for (const { account } of items) {
    if (account === undefined) continue;
    for (const finding of accountFindings(account, context)) findings.add(finding);
  }
  if (validator.validate(Buffer.from(begin + window.join('') + end)).length === 0) return;
  // Which record it was is looked for only where one is wrong.
  let isFound = false;
  for (const [at, record] of window.entries()) {
    const accountRef = items[at]?.account?.account_ref;
    for (const { detail, element } of validator.validate(Buffer.from(begin + record + end))) {
      isFound = true;
      findings.add({
        code: 'schema',
        detail,
        pointer: `/${element}`,
        severity: 'error',
        ...(accountRef !== undefined && { accountRef }),
      });
    }
  }
  if (isFound) return;
  const detail = 'expected a window that the schema allows';
  findings.add({ code: 'schema', detail, pointer: '', severity: 'error' });
}

const REF_HEX_CHARS = 32;

/**
 * The identifier of a record: unique for all time, since it is drawn from the declaration's own id,
 * which no other has, and from what the record is of; the same again where a worker begins anew.
 */
export const recordId = (declarationId: string, generation: number, what: string): string =>
  createHash('sha256')
    .update(`tax-record-v1\0${declarationId}\0${generation}\0${what}`)
    .digest('hex')
    .slice(0, REF_HEX_CHARS);
