/**
 * Customers walked past what has changed: how many a second of CPU are asked whether one of 300, or
 * 10,000, changed entries is near, beside the same customers screened on a whole list in the same
 * run; and how many are compared with the leaf that holds them. A run of ten million on two cores
 * takes ten million over twice the figure, in seconds, and the screenings of those who are near.
 *
 * `recall` is of the hits that scoring every changed entry finds: those that the look finds, too.
 * Half of the customers are misspelt entries of it, so that there is something to lose.
 */

import type { TaskQuery } from '../src/engine/messages.ts';
import { BLOCK, BLOCK_LENGTH } from '../src/engine/messages.ts';
import { leavesOf, type MonitoredSubject, subjectDigest } from '../src/slices/rescreening/index.ts';
import { cleanName, syntheticData, syntheticEntity, syntheticSource } from './names.ts';
import { noisyQueries } from './noise.ts';
import { seededRandom } from './random.ts';
import { openRunner, taskOf } from './recall.ts';
import type { BenchOptions, BenchRow } from './row.ts';
import { buildTimed, settingsOf, syntheticList } from './syntheticList.ts';

const VERSIONS = ['1.1.0', '2.0.0'] as const;
const LEAST = 0.7;
const CUSTOMERS = { full: 1_000, smoke: 60 };
const CHANGED = { full: [300, 10_000], smoke: [50] };
const WHOLE = { full: 20_000, smoke: 500 };
const LEAVES = { full: 100_000, smoke: 1_000 };
/** Scoring everything takes as long as the list is. */
const JUDGED = { full: 200, smoke: 40 };

type Raw = TaskQuery['query'];

export async function rows(options: BenchOptions): Promise<BenchRow[]> {
  const size = options.smoke ? 'smoke' : 'full';
  const customers = strangers(CUSTOMERS[size]);
  const whole = syntheticList(WHOLE[size]).snapshot;
  const looks = VERSIONS.flatMap((version) => {
    const screened = perSecond(customers, lookIn(whole, version));
    return CHANGED[size].map((count) => nearRow({ count, customers, screened, size, version }));
  });
  return [...looks, leavesRow(LEAVES[size])];
}

/** Customers who are nobody of the list; half of them with a date or a nationality. */
function strangers(count: number): readonly Raw[] {
  const random = seededRandom(99);
  return Array.from({ length: count }, (_, place) => {
    const { datesOfBirth, nationalities } = syntheticEntity(1_000_000 + place);
    const [dob, nationality] = [datesOfBirth[0], nationalities[0]];
    return {
      name: cleanName(random),
      transliterations: [],
      ...(dob !== undefined && { dob }),
      ...(nationality !== undefined && { nationality }),
    };
  });
}

/** Whether somebody reaches the threshold. */
function lookIn(snapshot: SharedArrayBuffer, version: string) {
  const settings = {
    ...settingsOf(version),
    answerScoreMin: LEAST,
    directScoreMin: LEAST,
    topN: 1,
  };
  const runner = openRunner(snapshot);
  const block = new Float64Array(BLOCK_LENGTH);
  return (query: Raw, exhaustive = false): boolean => {
    runner.run(taskOf(query, settings), block, { exhaustive });
    return (block[BLOCK.count] ?? 0) > 0;
  };
}

function perSecond(customers: readonly Raw[], look: (query: Raw) => boolean): number {
  for (const query of customers.slice(0, 50)) look(query);
  const before = process.cpuUsage();
  for (const query of customers) look(query);
  const { system, user } = process.cpuUsage(before);
  return (customers.length * 1e6) / (user + system);
}

function nearRow(of: {
  readonly count: number;
  readonly customers: readonly Raw[];
  readonly screened: number;
  readonly size: 'full' | 'smoke';
  readonly version: string;
}): BenchRow {
  const { count, customers, screened, size, version } = of;
  const entities = syntheticSource(count);
  const { snapshot } = buildTimed(Array.from({ length: count }, (_, at) => syntheticEntity(at)));
  const look = lookIn(snapshot, version);
  const ours = perSecond(customers, look);
  const judged = [
    ...noisyQueries(entities, JUDGED[size] / 2).map(({ raw }) => raw),
    ...customers.slice(0, JUDGED[size] / 2),
  ];
  const wanted = judged.filter((query) => look(query, true));
  const found = wanted.filter((query) => look(query));
  return {
    id: `rescreening/near-${count}/${version}`,
    suite: 'rescreening',
    data: syntheticData(count),
    size: `${customers.length} customers`,
    ours,
    unit: 'customers a CPU second',
    baseline: screened,
    baseline_name: `screened whole, ${WHOLE[size].toLocaleString('en')} entities`,
    ratio: ours / screened,
    recall: wanted.length === 0 ? 1 : found.length / wanted.length,
    checksum: `${wanted.length}`,
  };
}

/** A digest of each row, and the leaves of a chunk with their root. */
function leavesRow(count: number): BenchRow {
  const customers = Array.from({ length: count }, (_, place) => ({
    salt: Buffer.alloc(16, place).toString('base64'),
    state: 'active' as const,
    subject: { dob: '1980-02-03', external_id: `C-${place}`, full_name: `Person Number ${place}` },
    subjectId: place.toString(16).padStart(32, '0'),
  })) satisfies Pick<MonitoredSubject, 'salt' | 'state' | 'subject' | 'subjectId'>[];
  const before = process.cpuUsage();
  const leaves = customers.map((customer) => ({
    decision: 'unaffected',
    subject_digest: subjectDigest(customer),
    subject_id: customer.subjectId,
  }));
  const { merkleRoot } = leavesOf(leaves);
  const { system, user } = process.cpuUsage(before);
  return {
    id: 'rescreening/leaves',
    suite: 'rescreening',
    data: 'customers of three members',
    size: count.toLocaleString('en'),
    ours: (count * 1e6) / (user + system),
    unit: 'customers a CPU second',
    checksum: merkleRoot.slice(0, 16),
  };
}
