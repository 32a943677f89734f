/**
 * What packages cost beside our own code or Node's: the figures that decisions/0042 names. Each
 * says why a package stands where it does.
 *
 * Not a goal: the fastest of its kind.
 */
import { sign as nobleSign, verify as nobleVerify } from '@noble/ed25519';
import canonicalize from 'canonicalize';
import { Cron } from 'croner';
import winkModel from 'wink-eng-lite-web-model';
import winkNlp from 'wink-nlp';
import { canonicalJson } from '#platform/canonicalJson';
import type { EpochMs } from '#platform/clock';
import { signerFromSeed } from '#platform/ed25519';
import { foldName } from '../src/engine/foldName.ts';
import { nextFires } from '../src/slices/ingestion/schedule.ts';
import type { BenchOptions, BenchRow } from './row.ts';

const ROUNDS = 5;
const CANDIDATES = 50;
const FIRES = 5;

/** CPU microseconds a call; the best of some rounds, since other work would otherwise count. */
function timed(calls: number, call: () => unknown): number {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    const before = process.cpuUsage();
    for (let at = 0; at < calls; at++) call();
    const { system, user } = process.cpuUsage(before);
    best = Math.min(best, (user + system) / calls);
  }
  return best;
}

function row(
  id: string,
  data: string,
  of: { readonly ours: number; readonly theirs: number; readonly name: string },
): BenchRow {
  return {
    id: `packages/${id}`,
    suite: 'packages',
    data,
    size: 'calls',
    ours: of.ours,
    unit: 'µs of CPU a call',
    baseline: of.theirs,
    baseline_name: of.name,
    ratio: of.theirs / of.ours,
  };
}

export async function rows({ smoke }: BenchOptions): Promise<BenchRow[]> {
  const calls = smoke ? 5 : 400;
  return [...signatures(calls), canonicalText(calls), schedule(calls), ...words(calls)];
}

function signatures(calls: number): BenchRow[] {
  const seed = new Uint8Array(32).fill(7);
  const message = new Uint8Array(32).fill(9);
  const signer = signerFromSeed(seed);
  const signature = signer.sign(message);
  const { publicKey } = signer;
  const name = '@noble/ed25519';
  return [
    row('sign', '32 bytes', {
      name,
      ours: timed(calls, () => signer.sign(message)),
      theirs: timed(calls, () => nobleSign(message, seed)),
    }),
    row('verify', 'a good signature', {
      name,
      ours: timed(calls, () => publicKey.verify(message, signature)),
      theirs: timed(calls, () => nobleVerify(signature, message, publicKey.raw, { zip215: false })),
    }),
  ];
}

/** Of the shape of a screening's event: a few members, and candidates with their scores. */
function canonicalText(calls: number): BenchRow {
  const candidates = Array.from({ length: CANDIDATES }, (_, at) => ({
    directScore: 0.5 + at / 1_000,
    finalScore: 0.51 + at / 1_000,
    ftm_id: `entity-${at}`,
    matched_name: `Ann Example ${at}`,
    nameScore: 0.9 - at / 1_000,
    primary_name: `Example, Ann ${at}`,
    source_lists_hits: ['OFAC_SDN'],
    weights: { alias: 0.1, dob: 0.2, name: 0.4, nationality: 0.1, phonetic: 0.2 },
  }));
  const event = { candidates, list_version: 'a'.repeat(64), seq: 7, type: 'screening' };
  const [ours, theirs] = [canonicalJson(event), canonicalize(event)];
  if (ours !== theirs) throw new Error('packages/canonical-json: answers differ');
  return row('canonical-json', `${(ours.length / 1e3).toFixed(1)} KB`, {
    name: 'canonicalize',
    ours: timed(calls, () => canonicalJson(event)),
    theirs: timed(calls, () => canonicalize(event)),
  });
}

/** A schedule read and its next fires, on a Sunday night. */
function schedule(calls: number): BenchRow {
  const expression = '0 0 2 ? * SUN';
  const from = Date.UTC(2026, 0, 5, 12) as EpochMs;
  const options = {
    alternativeWeekdays: true,
    mode: '6-part',
    sloppyRanges: true,
    timezone: 'UTC',
  } as const;
  return row('quartz', `${FIRES} fires`, {
    name: 'croner',
    ours: timed(calls, () => nextFires(expression, from, FIRES)),
    theirs: timed(calls, () => new Cron(expression, options).nextRuns(FIRES, new Date(from))),
  });
}

/** A name and a payment's free text into words; of the text there is nothing of ours beside it. */
function words(calls: number): BenchRow[] {
  const before = process.memoryUsage().rss;
  const nlp = winkNlp(winkModel, ['sbd', 'ner']);
  const name = 'Abd al-Rahman ibn Muhammad AL-TAMIMI';
  const text =
    'INV 20260117/883 GOODS PER MV ZU ZAG BONG 5 IMO 9187629 PORT OF BANDAR ABBAS B/L 77';
  const tokensOf = (line: string): string[] => nlp.readDoc(line).tokens().out();
  const ofName = row('words-of-a-name', `${tokensOf(name).length} words`, {
    name: 'wink-nlp',
    ours: timed(calls, () => foldName(name)),
    theirs: timed(calls, () => tokensOf(name)),
  });
  const ofText: BenchRow = {
    id: 'packages/words-of-a-text',
    suite: 'packages',
    data: `a payment reference of ${tokensOf(text).length} words`,
    size: 'calls',
    ours: timed(calls, () => tokensOf(text)),
    unit: 'µs of CPU a call, wink-nlp alone',
    memory_mb: (process.memoryUsage().rss - before) / 1e6,
  };
  return [ofName, ofText];
}
