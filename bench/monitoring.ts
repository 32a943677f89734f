/**
 * Payment messages into canonical transactions, in messages a core-second.
 *
 * Goal: 4,000 pacs.008 and 20,000 MT103 a core-second, memory bounded. Baselines in the same run:
 * sax over the same XML without any check, and JSON.parse of the same transactions. Not a goal: the
 * fastest parser, since each message is held to its schema on the way.
 */
import sax from 'sax';
import { type MessageFormat, type ReadingContext, readMessage } from '#slices/monitoring';
import { creditTransfer, mt103, pacs008 } from '../test/slices/monitoring/messages.ts';
import { freeTextRows } from './freeText.ts';
import { ingestRows } from './monitoringIngest.ts';
import type { BenchOptions, BenchRow } from './row.ts';
import { measureTypologies } from './typologies.ts';

const CONTEXT: ReadingContext = { ownBics: new Set(['AAAAGB2L']), ownIbans: [], zone: 'UTC' };
/** Transactions of one message, where a message has several. */
const IN_ONE = 100;
/** Seconds of each row of the ingest. */
const INGEST_S = 20;

interface Figures {
  readonly perSecond: number;
  readonly heapMb: number;
}

/** CPU time, since other work on the machine would otherwise count; the best of three rounds. */
function measure(rounds: number, messages: number, read: () => number): Figures {
  for (let at = 0; at < rounds / 10; at++) read();
  let best = 0;
  let heap = 0;
  for (let attempt = 0; attempt < 3; attempt++) {
    const before = process.cpuUsage();
    let found = 0;
    for (let at = 0; at < rounds; at++) found += read();
    const { system, user } = process.cpuUsage(before);
    if (found !== rounds * messages) throw new Error(`expected ${rounds * messages}, got ${found}`);
    best = Math.max(best, found / ((user + system) / 1e6));
    heap = Math.max(heap, process.memoryUsage().heapUsed / 1e6);
  }
  return { heapMb: heap, perSecond: best };
}

const bySax = (text: string): number => {
  let found = 0;
  const parser = sax.parser(true, { trim: true, xmlns: false });
  parser.onopentag = ({ name }) => {
    if (name === 'CdtTrfTxInf') found++;
  };
  parser.write(text).close();
  return found;
};

function row(
  id: string,
  data: string,
  of: { readonly ours: Figures; readonly baseline: Figures; readonly name: string },
): BenchRow {
  const { baseline, name, ours } = of;
  return {
    baseline: baseline.perSecond,
    baseline_name: name,
    data,
    id: `monitoring/${id}`,
    memory_mb: ours.heapMb,
    ours: ours.perSecond,
    ratio: ours.perSecond / baseline.perSecond,
    size: 'messages',
    suite: 'monitoring',
    unit: 'transactions a core-second',
  };
}

export async function rows(options: BenchOptions): Promise<BenchRow[]> {
  const { smoke } = options;
  const rounds = smoke ? 20 : 5_000;
  const byUs = (format: MessageFormat, text: string) => {
    const bytes = Buffer.from(text);
    return () => readMessage(format, bytes, CONTEXT).transactions.length;
  };
  const xml = (id: string, text: string, count: number): BenchRow =>
    row(id, `pacs.008.001.08, ${count} in a message, ${text.length} bytes`, {
      baseline: measure(Math.ceil(rounds / count), count, () => bySax(text)),
      name: 'sax 1.6, elements alone',
      ours: measure(Math.ceil(rounds / count), count, byUs('iso20022_pacs008', text)),
    });
  const fin = mt103({ '52A': 'AAAAGB2L', '57A': 'BBBBDEFF', '72': '/INS/CCCCFRPP' });
  const record = readMessage('swift_mt103', Buffer.from(fin), CONTEXT).transactions[0]?.transaction;
  const { precision: _, ...draft } = record ?? {};
  const json = JSON.stringify({ transactions: Array.from({ length: IN_ONE }, () => draft) });
  const parsed = () => (JSON.parse(json) as { transactions: object[] }).transactions.length;
  const byJson = measure(Math.ceil(rounds / IN_ONE) * 4, IN_ONE, parsed);
  return [
    xml('pacs008', pacs008(), 1),
    xml('pacs008-many', pacs008({ count: IN_ONE, transaction: creditTransfer() }), IN_ONE),
    row('mt103', `MT103, one in a file, ${fin.length} bytes`, {
      baseline: byJson,
      name: 'JSON.parse of the records',
      ours: measure(rounds * 4, 1, byUs('swift_mt103', fin)),
    }),
    row('json', `json_service, ${IN_ONE} in a body`, {
      baseline: byJson,
      name: 'JSON.parse of the same body',
      ours: measure(Math.ceil(rounds / IN_ONE), IN_ONE, byUs('json_service', json)),
    }),
    ...typologyRows(smoke),
    ...(await freeTextRows(options)),
    ...(smoke ? [] : await ingestRows(INGEST_S)),
  ];
}

/** The default pack over invented life with planted typologies. */
function typologyRows(smoke: boolean): BenchRow[] {
  const scale = smoke
    ? { accounts: 200, planted: 2, transactions: 2_000 }
    : { accounts: 5_000, planted: 20, transactions: 100_000 };
  const { background, baseline, cpuSeconds, recall, sql, transactions } = measureTypologies(scale);
  const [ours, bySql] = [transactions / cpuSeconds, sql.evaluated / sql.cpuSeconds];
  const data = `${scale.accounts} accounts, ${transactions} transactions, 19 rules`;
  const common = { data, size: 'typologies', suite: 'monitoring' };
  return [
    ...Object.entries(recall).map(([rule, ours]) => ({
      ...common,
      baseline: baseline[rule] ?? 0,
      baseline_name: 'one threshold of 10,000',
      id: `monitoring/recall/${rule}`,
      ours,
      unit: `of ${scale.planted} planted`,
    })),
    {
      ...common,
      id: 'monitoring/background',
      ours: background,
      unit: 'alerts of 1,000 accounts a month',
    },
    {
      ...common,
      baseline: Math.round(bySql),
      baseline_name: `SQL in node:sqlite, ${Math.round(100 * sql.agreeing)} % of hits alike`,
      id: 'monitoring/rules',
      ours: Math.round(ours),
      ratio: ours / bySql,
      unit: 'transactions a core-second',
    },
  ];
}
