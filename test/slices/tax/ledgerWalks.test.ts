/**
 * Chains of corrections against a model of the authority: it knows tax.md 5.2 and 5.4 by its own
 * records, and refuses what does not follow on the latest version that it has. Whatever the ledger
 * plans, it refuses nothing. `FUZZ_RUNS` says how many; the page wants ten thousand.
 */
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type FiledRecord, type FiledType, RecordLedger, type ReportRegime } from '#slices/tax';

const WALKS = Number(process.env.FUZZ_RUNS ?? 300);
const STEPS = 30;
const ACCOUNTS = 4;

interface Held {
  readonly messageRefId: string;
  state: 'error' | 'fine' | 'outdated' | 'voided';
}

/** What the authority has, and why it refuses a record; written from the rules alone. */
class Authority {
  readonly #regime: ReportRegime;
  readonly #held = new Map<string, Held>();

  constructor(regime: ReportRegime) {
    this.#regime = regime;
  }

  refusalOf(record: FiledRecord, named: { readonly messageRefId?: string }): string | undefined {
    const isFatca = this.#regime === 'FATCA';
    const { corrDocRefId, docRefId, type } = record;
    if (this.#held.has(docRefId)) return isFatca ? '8020' : '80000';
    if (type === 'new') return corrDocRefId === undefined ? undefined : '80004';
    if (corrDocRefId === undefined) return '80005';
    const former = this.#held.get(corrDocRefId);
    if (former === undefined) return isFatca ? '8010' : '80002';
    if (former.state === 'outdated' || former.state === 'voided') {
      return isFatca ? '8010' : '80003';
    }
    if (!isFatca) return named.messageRefId === undefined ? undefined : '80006';
    if (named.messageRefId !== former.messageRefId) return 'corr-ids';
    if (type === 'corrected' && former.state !== 'error') return 'correct-vs-amend';
    if (type === 'amended' && former.state === 'error') return 'correct-vs-amend';
    return undefined;
  }

  take({ corrDocRefId, docRefId, messageRefId, type }: FiledRecord, isInError: boolean): void {
    const former = corrDocRefId === undefined ? undefined : this.#held.get(corrDocRefId);
    if (former !== undefined) former.state = type === 'void' ? 'voided' : 'outdated';
    const state = type === 'void' ? 'voided' : isInError ? 'error' : 'fine';
    this.#held.set(docRefId, { messageRefId, state });
  }

  get live(): readonly string[] {
    return [...this.#held].filter(([, { state }]) => LIVE.has(state)).map(([id]) => id);
  }
}
const LIVE: ReadonlySet<Held['state']> = new Set(['error', 'fine']);

interface Step {
  readonly account: number;
  readonly answer: string;
  readonly type: Exclude<FiledType, 'resent'>;
}
const stepOf = fc.record<Step>({
  account: fc.nat(ACCOUNTS - 1),
  /** What becomes of the message: taken, taken with an error, or rejected as a file. */
  answer: fc.constantFrom('clean', 'clean', 'error', 'rejected'),
  type: fc.constantFrom<Exclude<FiledType, 'resent'>>('amended', 'corrected', 'new', 'void'),
});
const walkOf = fc.array(stepOf, { maxLength: STEPS, minLength: STEPS });

/** One walk: how many records were sent, and what the authority refused. */
function walk(regime: ReportRegime, steps: readonly Step[]) {
  const ledger = new RecordLedger(regime, tmpdir());
  const authority = new Authority(regime);
  const latest = new Map<number, string>();
  const refused: string[] = [];
  let sent = 0;
  for (const [at, { account, answer, type }] of steps.entries()) {
    const known = latest.get(account);
    const live = known === undefined ? undefined : ledger.latest(known);
    const corrected =
      type === 'new' || live === undefined ? undefined : ledger.plan(live.docRefId, type);
    // Nothing is sent that could not be: a new record of what is on file, or no correction.
    if (type === 'new' ? live !== undefined : corrected === undefined) continue;
    const record: FiledRecord = {
      docRefId: `R${at}`,
      messageRefId: `M${at}`,
      origin: 'D',
      type,
      ...(corrected !== undefined && { corrDocRefId: corrected.docRefId }),
    };
    sent += 1;
    const refusal = authority.refusalOf(record, corrected ?? {});
    if (refusal !== undefined) refused.push(`${at}: ${type} ${refusal}`);
    if (answer === 'rejected') continue;
    authority.take(record, answer === 'error');
    ledger.file(record, answer === 'error' ? '8007' : undefined);
    if (type === 'new') latest.set(account, record.docRefId);
  }
  return { authority, ledger, refused, sent };
}

describe.each(['FATCA', 'CRS'] as const)('under %s', (regime) => {
  test('no chain of corrections is refused, and both have the same on file', () => {
    let sent = 0;
    const walks = fc.property(walkOf, (steps) => {
      const walked = walk(regime, steps);
      sent += walked.sent;
      expect(walked.refused).toEqual([]);
      const live = [...walked.ledger.all()].map(({ docRefId }) => docRefId);
      walked.ledger.close();
      expect(live.toSorted()).toEqual(walked.authority.live.toSorted());
    });
    fc.assert(walks, { numRuns: WALKS, seed: 23 });
    expect(sent).toBeGreaterThan(WALKS * 5);
  });

  test('the model refuses what is outdated, voided, unknown or of another type', () => {
    const authority = new Authority(regime);
    const base = { messageRefId: 'M', origin: 'D' } as const;
    authority.take({ ...base, docRefId: 'A', type: 'new' }, false);
    const follows = (docRefId: string, corrDocRefId: string, type: FiledType) =>
      authority.refusalOf(
        { ...base, corrDocRefId, docRefId, type },
        regime === 'FATCA' ? { messageRefId: 'M' } : {},
      );
    expect(follows('A', 'A', 'void')).toMatch(/^80(20|000)$/);
    expect(follows('B', 'X', 'void')).toMatch(/^80(10|002)$/);
    if (regime === 'FATCA') expect(follows('B', 'A', 'corrected')).toBe('correct-vs-amend');
    const next = regime === 'FATCA' ? 'amended' : 'corrected';
    expect(follows('B', 'A', next)).toBeUndefined();
    authority.take({ ...base, corrDocRefId: 'A', docRefId: 'B', type: next }, false);
    expect(follows('C', 'A', next)).toMatch(/^80(10|003)$/);
  });
});

test('a record that the authority has not taken leaves the version before it', () => {
  const ledger = new RecordLedger('FATCA', tmpdir());
  const base = { messageRefId: 'M', origin: 'D' } as const;
  ledger.file({ ...base, docRefId: 'A', type: 'new' });
  ledger.file({ ...base, corrDocRefId: 'A', docRefId: 'B', type: 'amended' }, '8012');
  expect(ledger.latest('A')).toMatchObject({ docRefId: 'A', isInError: false });
  ledger.file({ ...base, corrDocRefId: 'A', docRefId: 'C', type: 'amended' }, '8007');
  expect(ledger.latest('A')).toMatchObject({ docRefId: 'C', isInError: true });
  ledger.file({ ...base, corrDocRefId: 'C', docRefId: 'D', type: 'void' });
  expect(ledger.latest('A')).toBeUndefined();
  ledger.close();
});

test('what is on file is counted on disk: memory does not grow with it', () => {
  const RECORDS = 200_000;
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const ledger = new RecordLedger('FATCA', tmpdir());
  collect();
  const { heapUsed: before } = process.memoryUsage();
  const made = (at: number) => `98Q96B.00000.LE.250.${at.toString(16).padStart(32, '0')}`;
  for (let at = 0; at < RECORDS; at++) {
    const said = randomBytes(16).toString('hex');
    ledger.file({ docRefId: made(at), messageRefId: 'M', origin: 'D', said, type: 'new' });
  }
  collect();
  const grown = process.memoryUsage().heapUsed - before;
  expect(ledger.countSaid()).toBe(RECORDS);
  expect(ledger.live(made(RECORDS - 1))).toMatchObject({ messageRefId: 'M', origin: 'D' });
  // A record as an object is some 400 bytes: they would be 80 MB.
  expect(grown).toBeLessThan(8 * 1024 * 1024);
  ledger.close();
});
