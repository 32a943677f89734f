/**
 * `batch hits`: what a batch found, hit by hit, as its signed entries say it. Facts of the listed
 * parties stand in the reports, which are written once the batch is completed.
 */
import {
  batchStore,
  type FoundHit,
  HIT_DECISIONS,
  type HitFilter,
  type HitPlace,
  MATCH_TYPES,
  readHits,
  signedResults,
} from '#slices/batches';
import { EXIT, type Given, UsageError } from '../../../cli/command.ts';
import { table } from '../../../cli/output.ts';
import type { SliceCommand } from '../../processes.ts';
import { ANY_TENANT, BATCH, findBatch } from './namedBatch.ts';

const LISTED_DEFAULT = 50;
const LISTED_MAX = 10_000;
const SCORE_DECIMALS = 4;
const DECISIONS = ['pending', ...HIT_DECISIONS] as const;

export const batchHitCommands: readonly SliceCommand[] = [
  {
    words: 'batch hits',
    summary: 'Show the hits of a batch, by subject, also while it runs',
    options: [
      BATCH,
      ANY_TENANT,
      { help: DECISIONS.join(', '), name: 'decision', value: 'D' },
      { help: MATCH_TYPES.join(', '), name: 'type', value: 'T' },
      { help: 'from this score on, 0 to 1', name: 'min-score', value: 'S' },
      { help: `1..${LISTED_MAX} (default ${LISTED_DEFAULT})`, name: 'limit', value: 'N' },
    ],
    example: 'batch hits --batch 0190… --decision pending --min-score 0.9',
    async run({ open, output }, given) {
      const filter = filterOf(given);
      const limit = limitOf(given.optional('limit'));
      const installation = await open();
      const batch = await findBatch(installation, given);
      const { blobs, dataKeys, keyRing, storage } = installation;
      const ports = {
        batches: batchStore(storage.tables),
        results: signedResults({ audit: storage.audit, blobs, dataKeys, keyRing }),
      };
      const found: FoundHit[] = [];
      let after: HitPlace | undefined;
      let isAll = false;
      while (found.length < limit && !isAll) {
        const page = await readHits(ports, {
          batch,
          filter,
          limit: limit - found.length,
          ...(after !== undefined && { after }),
        });
        found.push(...page.hits);
        // A page that goes no further waits for subjects that are not screened yet.
        isAll = page.next === undefined || isSame(page.next, after);
        after = page.next;
      }
      output.result(
        { batch_id: batch.batchId, hits: found.map(summaryOf), more: after !== undefined },
        [
          table(['SUBJECT', 'NAME', 'SCORE', 'TYPE', 'LIST', 'LISTED', 'DECISION'], rowsOf(found)),
          ...(after === undefined
            ? []
            : [`there are more, or will be: the batch is ${batch.status}`]),
        ].join('\n'),
      );
      return EXIT.done;
    },
  },
];

const isSame = (one: HitPlace, other: HitPlace | undefined): boolean =>
  one.ordinal === other?.ordinal && one.position === other.position;

function filterOf(given: Given): HitFilter {
  const decision = chosen(given, 'decision', DECISIONS);
  const matchType = chosen(given, 'type', MATCH_TYPES);
  const scoreMin = scoreOf(given.optional('min-score'));
  return {
    ...(decision !== undefined && { decision }),
    ...(matchType !== undefined && { matchType }),
    ...(scoreMin !== undefined && { scoreMin }),
  };
}

function chosen<Word extends string>(
  given: Given,
  option: string,
  words: readonly Word[],
): Word | undefined {
  const text = given.optional(option);
  const found = words.find((one) => one === text);
  if (text === undefined || found !== undefined) return found;
  throw new UsageError(`--${option}: expected ${words.join(', ')}`);
}

function scoreOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^(0(\.\d{1,4})?|1(\.0{1,4})?)$/.test(text)) return Number(text);
  throw new UsageError('--min-score: expected 0 to 1, with four decimals at most');
}

function limitOf(text = String(LISTED_DEFAULT)): number {
  const limit = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= LISTED_MAX) return limit;
  throw new UsageError(`--limit: expected 1..${LISTED_MAX}`);
}

const nameIn = (value: unknown): string => (typeof value === 'string' ? value : '');

const summaryOf = ({ hit, review, subject }: FoundHit) => ({
  hit_id: hit.hit_id,
  external_id: subject.external_id,
  name: subject.erased ? null : (subject.subject.full_name ?? subject.subject.full_name_ar ?? null),
  match_score: hit.match_score,
  match_type: hit.match_type,
  strong: hit.strong,
  list_source: hit.list_source,
  record_id: hit.record_id,
  primary_name: nameIn(hit.payload.primary_name),
  decision: review?.decision ?? 'pending',
});

function rowsOf(found: readonly FoundHit[]): string[][] {
  return found
    .map(summaryOf)
    .map((one) => [
      one.external_id,
      one.name ?? '',
      one.match_score.toFixed(SCORE_DECIMALS),
      one.match_type,
      one.list_source,
      one.primary_name,
      one.decision,
    ]);
}
