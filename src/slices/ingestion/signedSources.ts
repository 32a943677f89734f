/**
 * Addresses, schedules and switches of sources as the signed entries of their changes tell them.
 * Two persons sign each change; whoever could write the database could point a source elsewhere, or
 * let a run drop most of a list. So nothing is fetched by a field that no entry made what it is,
 * and no run is begun, and no loss released, that no entry tells of.
 */
import {
  type AuditStore,
  EntryPlaces,
  findEntryNear,
  type JsonRecord,
  type KeyRing,
  signedEntry,
  storedMembers,
  verifiedEvent,
} from '#core/audit';
import type { Approval } from '#core/identity';
import { DomainError, PLATFORM_CHAIN } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import type { ListSource } from '#slices/lists';
import type { ListRun } from './ports.ts';
import { newSource } from './sourceCatalogue.ts';
import { fieldText, SOURCE_FIELDS, type SourceField, withFieldTexts } from './sourceFields.ts';
import { requireUnused } from './usedApprovals.ts';

const CHANGED = 'SANCTIONS_SCHEDULE_CHANGED';
const DISABLED = 'SANCTIONS_SOURCE_DISABLED';
const STARTED = ['SANCTIONS_MANUAL_TRIGGER', 'SANCTIONS_RUN_STARTED'] as const;

type FieldTexts = Readonly<Record<SourceField, string | null>>;

export interface SignedSources {
  /** Rejects with `state-altered` where a field is not what was signed. */
  check(source: ListSource): Promise<void>;
  /** The source with its fields as they were signed: what a change by persons goes on from. */
  restored(source: ListSource): Promise<ListSource>;
  /** Rejects with `state-altered` where the run was not started as it says, or not released. */
  checkRun(run: ListRun): Promise<void>;
  /** Rejects with `dual-control-replayed` where a change was made by this approval before. */
  requireUnused(approval: Pick<Approval, 'digest'>, now: EpochMs): Promise<void>;
  /** How many signed changes entries tell of, and the last that one names; undefined: none. */
  changes(sourceId: string): Promise<{
    readonly count: number;
    readonly last: { readonly chainHash: string; readonly seq: number } | undefined;
  }>;
}

export interface SignedSourcesPorts {
  readonly audit: Pick<AuditStore, 'findBySeq' | 'head' | 'readEvents'>;
  readonly keyRing: KeyRing;
}

/** One for a process. */
export function signedSources(ports: SignedSourcesPorts): SignedSources {
  const { audit } = ports;
  const chainId = PLATFORM_CHAIN;
  const places = new EntryPlaces({
    actions: [CHANGED, DISABLED],
    audit,
    chainId,
    keysOf: (event) => [String(storedMembers(event).target)],
  });
  const changesOf = async (sourceId: string): Promise<readonly JsonRecord[]> => {
    await places.readOn();
    return Promise.all(
      places.of(sourceId).map(async (seq) => {
        const entry = await signedEntry(ports, { chainId, seq });
        return entry ?? refuse(`source ${sourceId}`, `its entry seq ${seq} is not what was signed`);
      }),
    );
  };
  const fieldsOf = async (sourceId: string): Promise<FieldTexts> => {
    const texts = textsOf(newSource(sourceId));
    for (const entry of await changesOf(sourceId)) Object.assign(texts, toldBy(entry));
    return texts;
  };
  /** Fields that are not what was signed, with what that is. */
  const otherThanSigned = async (source: ListSource): Promise<Partial<FieldTexts>> => {
    const [own, told] = [textsOf(source), await fieldsOf(source.sourceId)];
    const others = SOURCE_FIELDS.filter((field) => own[field] !== told[field]);
    return Object.fromEntries(others.map((field) => [field, told[field]]));
  };
  return {
    async check(source) {
      const others = Object.keys(await otherThanSigned(source));
      if (others.length === 0) return;
      refuse(`source ${source.sourceId}`, `no signed entry made ${others.join(', ')} what it is`);
    },
    async restored(source) {
      const others = await otherThanSigned(source);
      return Object.keys(others).length === 0 ? source : withFieldTexts(source, others);
    },
    checkRun: (run) => checkRun(ports, run),
    requireUnused: (approval, now) => requireUnused(audit, approval, now),
    async changes(sourceId) {
      const told = (await changesOf(sourceId)).flatMap(rowsIn);
      const last = told.findLast((row) => row !== undefined);
      return { count: told.length, last };
    },
  };
}

const textsOf = (source: ListSource): Record<SourceField, string | null> =>
  Object.fromEntries(SOURCE_FIELDS.map((field) => [field, fieldText(source, field)])) as Record<
    SourceField,
    string | null
  >;

interface ToldChange {
  readonly chain_hash: string;
  readonly field: SourceField;
  readonly new_value: string | null;
  readonly seq: number;
}

const changesIn = ({ changes }: JsonRecord): readonly ToldChange[] =>
  Array.isArray(changes) ? (changes as readonly ToldChange[]) : [];

/** The scheduler switches a source off by itself; its former entries tell no values. */
function toldBy(entry: JsonRecord): Partial<FieldTexts> {
  if (entry.action === DISABLED) return { enabled: 'false' };
  const told = changesIn(entry).map(({ field, new_value }) => [field, new_value]);
  return Object.fromEntries(told) as Partial<FieldTexts>;
}

/** Rows of the schedule's audit that an entry stands for. */
function rowsIn(entry: JsonRecord) {
  if (entry.action === DISABLED) return [undefined];
  return changesIn(entry).map(({ chain_hash, seq }) => ({ chainHash: chain_hash, seq }));
}

async function checkRun(ports: SignedSourcesPorts, run: ListRun): Promise<void> {
  const what = `run ${run.runId}`;
  const start = await entryOf(ports, run, STARTED);
  if (start === undefined) refuse(what, 'no signed entry tells of its start');
  if (start.actor !== run.triggeredBy || start.kind !== run.kind) {
    refuse(what, `it was not started as its record says: seq ${start.seq}`);
  }
  const { shrinkApprovedBy, shrinkReleased: released } = run;
  if (released === undefined && shrinkApprovedBy === undefined) return;
  const approval = await entryOf(ports, run, ['SANCTIONS_SHRINK_APPROVED']);
  const isReleased =
    approval?.approved_by === `person:${shrinkApprovedBy}` &&
    approval.file_sha256 === released?.fileSha256 &&
    approval.removed_count === released?.removedCount &&
    // Entries of former releases do not tell it.
    (approval.removed_digest ?? released?.removedDigest) === released?.removedDigest;
  if (!isReleased) refuse(what, 'no signed entry releases the losses that it is to let go');
}

/** The entry of this run, by when it began. */
async function entryOf(
  { audit, keyRing }: SignedSourcesPorts,
  { runId, sourceId, startedAt }: ListRun,
  actions: readonly string[],
): Promise<JsonRecord | undefined> {
  const chainId = PLATFORM_CHAIN;
  for (const action of actions) {
    const isIt = (event: Parameters<typeof storedMembers>[0]): boolean =>
      storedMembers(event).run_id === runId;
    const found = await findEntryNear(audit, chainId, { action, isIt, near: startedAt });
    const entry = found && verifiedEvent(found, { chainId, keyRing });
    if (entry?.action === action && entry.target === sourceId) return entry;
  }
  return undefined;
}

function refuse(what: string, detail: string): never {
  throw new DomainError('state-altered', { detail: `${what}: ${detail}` });
}
