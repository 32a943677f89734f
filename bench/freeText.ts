/**
 * Listed names in free text of payments: planted with ten kinds of noise among references, dates
 * and amounts, and clean texts that name people and firms who are on no list. Spotting, comparing
 * and telling are the product's own (src/slices/monitoring/findMentions.ts).
 *
 * Goal: .95 of the planted names, one false alarm in 2,000 clean texts at the most. Baselines in
 * the same run: the engine over the whole text, and the list's names as parts of the text.
 *
 * Not a goal: names that consist of words which half of all texts have.
 */

import type { TenantId } from '#core/kernel';
import { buildSnapshot, createEngine, type Engine, type IndexEntity } from '#engine';
import { systemClock } from '#platform/clock';
import { systemRandom } from '#platform/random';
import {
  findMentions,
  MentionMemo,
  openWinkSplitter,
  readerName,
  readTextWords,
  type Transaction,
} from '#slices/monitoring';
import {
  policyOfBatches,
  type ScreenedQuery,
  screeningSettings,
  screenQuery,
} from '#slices/screening';
import { foldName } from '../src/engine/foldName.ts';
import { NameSpotter } from '../src/engine/nameSpotter.ts';
import type { SpotAsk } from '../src/engine/ports.ts';
import { SETTINGS } from '../test/slices/policies/policyDesk.ts';
import { publishedLists } from './data.ts';
import { entitiesOf } from './matchingLists.ts';
import { syntheticEntities } from './names.ts';
import { around, cleanText, listedName, NOISES } from './noisyTexts.ts';
import { seededRandom } from './random.ts';
import type { BenchOptions, BenchRow } from './row.ts';

const TENANT = '0190aaaa-0000-7000-8000-00000000000a' as TenantId;
const TOLD_FROM = 0.92;
const DEADLINE_MS = 60_000;
const COUNT = 1_000;
/** No other one's figures were looked at when the spotter was made. */
const SEED = 2_026;
const SMOKE = 4;
const CLEAN_PER_PLANTED = 2;
/** Texts of one call, as of one body. */
const TOGETHER = 100;
const MISSES_TOLD = 60;

/** What tells whom texts name. */
export interface Reader {
  readonly entities: readonly IndexEntity[];
  readonly data: string;
  /** By text, ids of all listed parties that are told. */
  tell(texts: readonly string[]): Promise<readonly ReadonlySet<string>[]>;
  /** The same by the engine over the whole text. */
  whole(text: string): Promise<ReadonlySet<string>>;
  /** Whether this is a listed name as it stands. */
  isListed(name: string): boolean;
  /** Whether any listed name is part of the text, as it stands. */
  isPart(text: string): boolean;
  close(): Promise<void>;
}

/** Rows of what is told of texts: `count` of each kind of noise, and twice as many clean ones. */
export async function freeTextRows({
  count = COUNT,
  smoke,
}: Pick<BenchOptions, 'count' | 'smoke'>): Promise<BenchRow[]> {
  const reader = await openReader(smoke);
  try {
    const planted = smoke ? SMOKE : count;
    const scale = { clean: CLEAN_PER_PLANTED * planted, planted };
    return await measure(reader, scale);
  } finally {
    await reader.close();
  }
}

async function measure(
  reader: Reader,
  scale: { readonly clean: number; readonly planted: number },
): Promise<BenchRow[]> {
  const random = seededRandom(SEED);
  const rows: BenchRow[] = [];
  const common = { data: reader.data, size: 'texts', suite: 'monitoring' };
  let [all, found, byPart] = [0, 0, 0];
  let toldOfMisses = 0;
  const began = process.cpuUsage();
  for (const [noise, change] of Object.entries(NOISES)) {
    const planted: { readonly id: string; readonly text: string }[] = [];
    while (planted.length < scale.planted) {
      const { id, name, schema } = listedName(reader.entities, random);
      const noisy = change(name, random, schema);
      if (noisy !== undefined) planted.push({ id, text: around(noisy, random) });
    }
    let own = 0;
    for (let at = 0; at < planted.length; at += TOGETHER) {
      const some = planted.slice(at, at + TOGETHER);
      const told = await reader.tell(some.map(({ text }) => text));
      for (const [place, { id, text }] of some.entries()) {
        if (told[place]?.has(id) === true) own += 1;
        else if (toldOfMisses++ < MISSES_TOLD) console.warn(`missed (${noise}): ${text}`);
        if (reader.isPart(text)) byPart += 1;
      }
    }
    all += planted.length;
    found += own;
    rows.push({
      ...common,
      id: `monitoring/free-text/${noise}`,
      ours: round(own / planted.length),
      unit: `of ${planted.length} planted`,
    });
  }
  const { system, user } = process.cpuUsage(began);
  const clean = Array.from({ length: scale.clean }, () => cleanText(random, reader.isListed));
  let alarms = 0;
  let alarmsOfWhole = 0;
  for (let at = 0; at < clean.length; at += TOGETHER) {
    const some = clean.slice(at, at + TOGETHER);
    const told = await reader.tell(some);
    for (const [place, text] of some.entries()) {
      if ((told[place]?.size ?? 0) > 0) {
        alarms += 1;
        console.warn(`false alarm: ${text}`);
      }
      if ((await reader.whole(text)).size > 0) alarmsOfWhole += 1;
    }
  }
  return [
    ...rows,
    {
      ...common,
      baseline: round(byPart / all),
      baseline_name: 'names as parts of the text',
      id: 'monitoring/free-text',
      ours: round(found / all),
      ratio: found / Math.max(1, byPart),
      unit: `of ${all} planted`,
    },
    {
      ...common,
      baseline: alarmsOfWhole,
      baseline_name: 'the engine over the whole text',
      id: 'monitoring/free-text/clean',
      ours: alarms,
      unit: `false alarms of ${clean.length}`,
    },
    {
      ...common,
      id: 'monitoring/free-text/speed',
      ours: Math.round(all / ((system + user) / 1e6)),
      unit: 'texts a core-second, nothing known',
    },
  ];
}

const round = (share: number): number => Math.round(share * 1_000) / 1_000;

/** By the published lists, or where they are absent or for a smoke run by invented ones. */
export async function openReader(smoke: boolean): Promise<Reader> {
  const engine = createEngine({ queueMax: 1_000, threads: 0 });
  const published = smoke ? [] : await publishedLists();
  const loaded = await Promise.all(
    published.map(async ({ file, source }) => ({
      entities: await entitiesOf(file, source),
      source,
    })),
  );
  if (loaded.length === 0) {
    loaded.push({ entities: syntheticEntities(2_000).map(listed), source: 'synthetic' });
  }
  const buffers = loaded.map(({ entities }) => buildSnapshot(entities));
  const indexes = buffers.map((buffer) => engine.load(buffer));
  const spotter = new NameSpotter();
  const lists = buffers.map((buffer, index) => ({ buffer, index, removed: undefined }));
  const compare = comparing(
    engine,
    indexes,
    loaded.map(({ source }) => source),
  );
  const splitter = await openWinkSplitter();
  const parts = new Set(
    loaded.flatMap(({ entities }) => entities.flatMap(({ names }) => names.map(asPart))),
  );
  const ports = {
    // Here, not in its thread: what it takes is counted with the rest.
    engine: { spot: async (_: unknown, ask: SpotAsk) => spotter.spot(lists, ask) },
    texts: {
      memo: new MentionMemo(),
      thread: async () => ({
        close: async () => undefined,
        read: async (texts: readonly string[]) => ({
          reader: readerName(splitter),
          texts: texts.map((text) => readTextWords(text, splitter)),
        }),
      }),
    },
  };
  return {
    close: async () => {
      for (const index of indexes) index.release();
      await engine.close();
    },
    data: loaded.map(({ source }) => source).join('+'),
    entities: loaded.flatMap(({ entities }) => entities),
    isListed: (name) => parts.has(asPart(name)),
    isPart: (text) => {
      const words = asPart(text).split(' ');
      return words.some((_, from) =>
        Array.from({ length: 8 }, (__, more) => words.slice(from, from + more + 2).join(' ')).some(
          (one) => parts.has(one),
        ),
      );
    },
    tell: async (texts) => {
      const transactions = texts.map((text) => ({ remittance: [text] }) as unknown as Transaction);
      const mentions = await findMentions(
        ports,
        { compare, indexes, prefix: '', tenantId: TENANT },
        transactions,
      );
      return mentions.map(({ found }) => new Set(found.flatMap(({ screened }) => idsOf(screened))));
    },
    whole: async (text) => new Set(idsOf(await compare({ name: text, transliterations: [] }))),
  };
}

/** With what a screening returns of it: an entity of a list of sanctions. */
const listed = (entity: IndexEntity): IndexEntity => ({
  ...entity,
  card: JSON.stringify({
    categories: ['SAN'],
    flattened_associated_sanctioned: [],
    ftm_id: entity.id,
    primary_name: entity.names[0] ?? '',
    schema: entity.schema === 'Other' ? 'Vessel' : entity.schema,
    source_lists_hits: ['DEMO'],
  }),
  categories: 1,
});

const asPart = (text: string): string => foldName(text).latin;

const idsOf = (screened: ScreenedQuery | undefined): readonly string[] =>
  screened?.record.verdict.hits
    .filter(({ directScore }) => directScore >= TOLD_FROM)
    .flatMap(({ ftm_id, merged = [] }) => [ftm_id, ...merged.map((one) => one.ftm_id)]) ?? [];

function comparing(
  engine: Engine,
  indexes: readonly ReturnType<Engine['load']>[],
  sources: readonly string[],
) {
  const settings = policyOfBatches(SETTINGS.resolve(SETTINGS.ofNewTenant()).of(screeningSettings));
  return (query: { readonly name: string; readonly transliterations: readonly string[] }) =>
    screenQuery(
      { clock: systemClock, deadlineMs: DEADLINE_MS, engine, random: systemRandom },
      {
        channel: 'transaction_text',
        listSet: { listVersion: 'f'.repeat(64), references: [] },
        lists: indexes.map((index, at) => ({ index, source: sources[at] ?? '' })),
        namePointer: '',
        query,
        requestedBy: 'bench',
        settings,
      },
    );
}
