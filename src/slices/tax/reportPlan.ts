/**
 * What goes into a declaration of its type: new records alone, or the versions that follow on those
 * on file. It is decided by the ledger before anything is written, so that nothing is sent that the
 * authority would refuse: a correction of what it does not have, or of an outdated version.
 */
import type { ReportedAccount } from './account.ts';
import type { TaxDeclaration } from './declarationTables.ts';
import { DIALECTS } from './dialects.ts';
import { FiledLedger } from './filedLedger.ts';
import type { FiledType, LiveRecord } from './filedRecords.ts';
import { withSpec } from './filedXml.ts';
import type { TaxPorts } from './ports.ts';
import type { ReportItem } from './reportMessages.ts';
import type { ReportFinding } from './reportRules.ts';
import { accountXml, type RecordSpec, type ReportHead, specXml } from './reportXml.ts';

/** What the records of a type of declaration say of those on file. */
export const RECORD_TYPES: Readonly<Record<string, Exclude<FiledType, 'resent'>>> = {
  FATCA1: 'new',
  FATCA2: 'corrected',
  FATCA3: 'void',
  FATCA4: 'amended',
  OECD1: 'new',
  OECD2: 'corrected',
  OECD3: 'void',
};

const ITEMS_TOGETHER = 200;

/** The plan of one declaration. To be closed. */
export class ReportPlan {
  readonly findings: ReportFinding[] = [];
  readonly #declaration: TaxDeclaration;
  readonly #ledger: FiledLedger;
  readonly #met = new Set<string>();
  readonly #wanted: ReadonlySet<string> | undefined;
  readonly #type: Exclude<FiledType, 'resent'>;

  private constructor(declaration: TaxDeclaration, ledger: FiledLedger) {
    this.#declaration = declaration;
    this.#ledger = ledger;
    this.#type = RECORD_TYPES[declaration.type] ?? 'new';
    if (declaration.records !== undefined) this.#wanted = new Set(declaration.records);
  }

  /** Throws `state-altered`, `blob-damaged`. */
  static async open(ports: TaxPorts, declaration: TaxDeclaration): Promise<ReportPlan> {
    const { declarationId } = declaration;
    const ledger = await FiledLedger.open(ports, declaration, declarationId);
    return new ReportPlan(declaration, ledger);
  }

  close(): void {
    this.#ledger.close();
  }

  get isCorrection(): boolean {
    return this.#type !== 'new';
  }

  get isVoid(): boolean {
    return this.#type === 'void';
  }

  /** A nil report says that there is none: what is on file has to be voided before. */
  nilFindings(): readonly ReportFinding[] {
    const count = this.#ledger.records.countSaid();
    if (count === 0) return [];
    const code = `${this.#declaration.regime.toLowerCase()}-nil`;
    const detail = `expected nothing on file, got ${count} records: void them`;
    return [{ code, detail, pointer: '/nil_report', severity: 'error' }];
  }

  /** Whether the account goes into it. */
  takes(account: ReportedAccount, head: ReportHead): boolean {
    const live = this.#ledger.recordOf(`account:${account.account_ref}`);
    if (this.#type === 'new') return live === undefined;
    if (live === undefined || !this.#mayFollow(live)) return false;
    if (this.#wanted !== undefined) {
      const isWanted = this.#wanted.has(account.account_ref) || this.#wanted.has(live.docRefId);
      if (isWanted) this.#met.add(live.docRefId);
      return isWanted;
    }
    const isByError = this.#declaration.regime === 'FATCA' && this.#type === 'corrected';
    return isByError || !this.#ledger.isSame(live, accountXml(head, account));
  }

  /** Whether the pool goes into it. */
  takesPool(type: string): boolean {
    const live = this.#ledger.recordOf(`pool:${type}`);
    if (this.#type === 'new') return live === undefined;
    if (live === undefined || !this.#mayFollow(live)) return false;
    return this.#wanted === undefined || this.#wanted.has(live.docRefId);
  }

  /** Version and predecessor of what is written next. */
  specOf(what: string, { docRefId, messageNo }: RecordPlace): RecordSpec {
    if (what === 'fi' || what === 'sponsor') return this.#frameOf(what, { docRefId, messageNo });
    if (this.#type === 'new') return { docRefId, type: 'new' };
    const live = this.#ledger.recordOf(what);
    return this.#following(live, docRefId);
  }

  /** Records that are taken back, as they were filed. */
  async *voided(idOf: (docRefId: string) => string): AsyncGenerator<readonly ReportItem[]> {
    const dialect = DIALECTS[this.#declaration.schema];
    const refs = new Set(
      [...(this.#wanted ?? [])].map(
        (ref) => this.#ledger.recordOf(`account:${ref}`)?.docRefId ?? ref,
      ),
    );
    let items: ReportItem[] = [];
    for await (const record of this.#ledger.live()) {
      if (!this.#isOfCorrected(record.live)) continue;
      if (this.#wanted !== undefined) {
        if (!refs.has(record.docRefId)) continue;
        this.#met.add(record.docRefId);
      }
      const spec = this.#following(record.live, idOf(record.docRefId));
      items.push({ xml: (head) => withSpec(record.xml, specXml(head, dialect, spec)) });
      if (items.length < ITEMS_TOGETHER) continue;
      yield items;
      items = [];
    }
    if (items.length > 0) yield items;
  }

  /** Records that were asked for and may not be corrected so. */
  missingFindings(): readonly ReportFinding[] {
    if (this.#wanted === undefined) return [];
    const missing = [...this.#wanted].filter((ref) => {
      const live = this.#ledger.recordOf(`account:${ref}`);
      return !this.#met.has(live?.docRefId ?? ref);
    });
    const code = 'corrects-not-correctable';
    const count = missing.length;
    const detail = `expected records that can be ${this.#type}, got ${count} others`;
    return missing.length === 0 ? [] : [{ code, detail, pointer: '/records', severity: 'error' }];
  }

  #mayFollow(live: LiveRecord): boolean {
    const type = this.#type;
    if (type === 'new') return true;
    return (
      this.#isOfCorrected(live) && this.#ledger.records.plan(live.docRefId, type) !== undefined
    );
  }

  #isOfCorrected({ origin }: LiveRecord): boolean {
    return origin === this.#declaration.corrects;
  }

  #following(live: LiveRecord | undefined, docRefId: string): RecordSpec {
    const type = this.#type;
    const corrected =
      live && type !== 'new' ? this.#ledger.records.plan(live.docRefId, type) : undefined;
    if (corrected === undefined) throw new Error('a record that was planned is on file');
    return { corrected, docRefId, type };
  }

  /**
   * CRS repeats the institution as it was accepted. FATCA has one type in a file, so the
   * institution goes with its accounts.
   */
  #frameOf(what: 'fi' | 'sponsor', { docRefId, messageNo }: RecordPlace): RecordSpec {
    const isFatca = this.#declaration.regime === 'FATCA';
    const frame = this.#ledger.frames[isFatca ? messageNo - 1 : 0]?.[what];
    const live = frame === undefined ? undefined : this.#ledger.records.latest(frame);
    if (!isFatca && live !== undefined) return { docRefId: live.docRefId, type: 'resent' };
    if (this.#type === 'new') return { docRefId, type: 'new' };
    if (live === undefined) {
      const detail = `expected no more messages than were filed, and the same ${what}`;
      this.findings.push({ code: 'frame-unknown', detail, pointer: '', severity: 'error' });
      return { docRefId, type: 'new' };
    }
    const { docRefId: former, messageRefId } = live;
    return { corrected: { docRefId: former, messageRefId }, docRefId, type: this.#type };
  }
}

/** Where a record stands, and what it is called there. */
export interface RecordPlace {
  readonly docRefId: string;
  readonly messageNo: number;
}
