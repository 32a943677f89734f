/**
 * The ledger of an institution, a period and a receiver, as it is read from what was filed: the XML
 * of every accepted message, and the answers with their errors. Both are signed by their digests,
 * so nothing that could be altered beside them decides what is corrected.
 */
import { createHmac } from 'node:crypto';
import { allRecords } from '#core/kernel';
import { findDeclaration } from './declarationSteps.ts';
import {
  type DeclarationMessage,
  declarationTable,
  type TaxDeclaration,
} from './declarationTables.ts';
import { type LiveRecord, RecordLedger } from './filedRecords.ts';
import { contentOf, recordsIn, type WrittenRecord } from './filedXml.ts';
import { openMessage } from './openMessage.ts';
import type { TaxPorts } from './ports.ts';
import { recordId } from './reportMessages.ts';
import { recordErrorsOf } from './storedAnswers.ts';

/** Which ledger. */
export type LedgerName = Pick<
  TaxDeclaration,
  'giin' | 'period' | 'receivingCountry' | 'regime' | 'tenantId'
>;

/** A record that is on file, with what it says. */
export interface LedgerRecord extends WrittenRecord {
  readonly live: LiveRecord;
}

const FRAMES: ReadonlySet<string> = new Set(['ReportingFI', 'Sponsor']);
const [KEY_BYTES, HASH_CHARS] = [32, 32];

/** An open ledger. To be closed. */
export class FiledLedger {
  readonly records: RecordLedger;
  /** Institution and sponsor of each message, in order. */
  readonly frames: { readonly fi: string; readonly sponsor?: string }[] = [];
  readonly #ports: TaxPorts;
  readonly #declarations: readonly TaxDeclaration[];
  /** Digests of what records say touch a disk: under a key nobody can try numbers against them. */
  readonly #key: Uint8Array;

  private constructor(ports: TaxPorts, name: LedgerName, declarations: readonly TaxDeclaration[]) {
    this.#ports = ports;
    this.#declarations = declarations;
    this.#key = ports.random.bytes(KEY_BYTES);
    this.records = new RecordLedger(name.regime, ports.spoolDirectory);
  }

  close(): void {
    this.records.close();
  }

  /** Reads all that was accepted, but of one. Throws `state-altered`, `blob-damaged`. */
  static async open(ports: TaxPorts, name: LedgerName, butId?: string): Promise<FiledLedger> {
    const { giin, period, receivingCountry, regime, tenantId } = name;
    const rows = await allRecords(ports.tables, declarationTable, {
      equal: { period, tenantId },
      index: 'byPeriod',
    });
    const found: TaxDeclaration[] = [];
    for (const row of rows) {
      const declaration = await findDeclaration(ports, row);
      const isOfLedger =
        declaration.declarationId !== butId &&
        declaration.giin === giin &&
        declaration.regime === regime &&
        declaration.receivingCountry === receivingCountry;
      if (isOfLedger && acceptedOf(declaration).length > 0) found.push(declaration);
    }
    // One correction is under way at a time: the order of making is that of acceptance.
    found.sort((a, b) => (a.declarationId < b.declarationId ? -1 : 1));
    const ledger = new FiledLedger(ports, name, found);
    try {
      await ledger.#read();
    } catch (error) {
      ledger.close();
      throw error;
    }
    return ledger;
  }

  /** Whether anything was ever accepted. */
  get isEmpty(): boolean {
    return this.#declarations.length === 0;
  }

  /** The version on file of an account or a pool, by what its identifiers were made of. */
  recordOf(what: string): LiveRecord | undefined {
    const isFatca = this.#declarations[0]?.regime === 'FATCA';
    for (const declaration of this.#declarations) {
      const { declarationId, generations, giin, period, transmittingCountry } = declaration;
      const front = isFatca ? `${giin}.` : `${transmittingCountry}${period}`;
      for (let generation = 1; generation <= generations; generation += 1) {
        const found = this.records.live(front + recordId(declarationId, generation, what));
        if (found !== undefined) return found;
      }
    }
    return undefined;
  }

  /** Whether the record on file says the same. */
  isSame({ said }: LiveRecord, xml: string): boolean {
    return said === this.#digestOf(xml);
  }

  /** Everything on file but institutions and sponsors, in the order of filing. */
  async *live(): AsyncGenerator<LedgerRecord> {
    for await (const { record } of this.#written()) {
      const live = this.records.live(record.docRefId);
      if (live !== undefined && !FRAMES.has(record.kind)) yield { ...record, live };
    }
  }

  async #read(): Promise<void> {
    for await (const { declaration, errors, message, record } of this.#written()) {
      const isFrame = FRAMES.has(record.kind);
      const { corrDocRefId, docRefId, kind, type } = record;
      this.records.file(
        {
          docRefId,
          isFrame,
          messageRefId: message.messageRefId,
          origin: declaration.declarationId,
          type,
          ...(corrDocRefId !== undefined && { corrDocRefId }),
          ...(!isFrame && type !== 'void' && { said: this.#digestOf(record.xml) }),
        },
        errors.get(docRefId),
      );
      if (kind === 'ReportingFI') {
        if (type === 'new') this.frames.push({ fi: docRefId });
      } else if (kind === 'Sponsor') {
        if (type !== 'new') continue;
        const last = this.frames.pop();
        if (last !== undefined) this.frames.push({ ...last, sponsor: docRefId });
      }
    }
  }

  /** The digest of what a record says, without its version. */
  #digestOf(xml: string): string {
    const digest = createHmac('sha256', this.#key).update(contentOf(xml)).digest('hex');
    return digest.slice(0, HASH_CHARS);
  }

  async *#written() {
    for (const declaration of this.#declarations) {
      for (const message of acceptedOf(declaration)) {
        const errors = await codesOf(this.#ports, declaration, message);
        const pieces = await openMessage(this.#ports, declaration, message);
        for await (const record of recordsIn(pieces, declaration.schema)) {
          yield { declaration, errors, message, record };
        }
      }
    }
  }
}

const acceptedOf = ({ messages }: TaxDeclaration): readonly DeclarationMessage[] =>
  messages.filter(({ filing }) => filing?.state === 'accepted');

/** Codes of the records that the authority found wrong, by DocRefId. */
async function codesOf(
  ports: TaxPorts,
  { regime, tenantId }: TaxDeclaration,
  { filing }: DeclarationMessage,
): Promise<ReadonlyMap<string, string>> {
  const { errors } = await recordErrorsOf(ports, { regime, tenantId }, filing);
  return new Map(errors.map(({ code, docRefId }) => [docRefId, code]));
}
