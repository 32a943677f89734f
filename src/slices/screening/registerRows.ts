/** Rows of the register, made from a verdict as it is given, or from its event later. */
import type { SealedEvent } from '#core/audit';
import type { TableChange, TenantId } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { sha256Hex } from '#platform/crypto';
import { foldText } from '#platform/foldText';
import { storedVerdict, type Verdict } from './screeningRecord.ts';
import {
  type Channel,
  type RegisteredHit,
  type RegisteredScreening,
  registeredHitTable,
  registeredScreeningTable,
} from './tables.ts';

/** Letters of a name that the register keeps; what it is sought by is no longer. */
export const NAME_CHARS_MAX = 64;
/** Letters by which names are sought, and those by which long beginnings are. */
export const START_CHARS = { long: 6, short: 3 } as const;

/** A screening as the register has it. */
export interface RegisterRows {
  readonly hits: readonly RegisteredHit[];
  readonly screening: RegisteredScreening;
}

/** What the register says of a screening beside its verdict. */
export interface RegisterFacts {
  readonly channel: Channel;
  readonly occurredAt: EpochMs;
  readonly requestedBy: string;
  readonly subjectKey?: string | undefined;
  readonly tenantId: TenantId;
}

/** A customer's reference as events and the register have it: a digest, each tenant its own. */
export const subjectKeyOfRef = (tenantId: TenantId, ref: string): string =>
  sha256Hex(`subject-ref-v1\0${tenantId}\0${ref}`).slice(0, 32);

/** A merged hit is found by each of its entries. */
export function registerRows(
  verdict: Pick<Verdict, 'decision' | 'hits' | 'screeningId'>,
  { subjectKey, ...facts }: RegisterFacts,
): RegisterRows {
  const { decision, screeningId } = verdict;
  const { occurredAt, tenantId } = facts;
  const names = new Map(
    verdict.hits
      .flatMap((hit) => [hit, ...(hit.merged ?? [])])
      .map(({ ftm_id, primary_name }) => [ftm_id, primary_name]),
  );
  return {
    hits: [...names].map(([ftmId, given]) => {
      const name = [...foldText(given)].slice(0, NAME_CHARS_MAX).join('');
      const { long, short } = START_CHARS;
      return {
        ftmId,
        name,
        occurredAt,
        screeningId,
        tenantId,
        ...startOf(name, 'start3', short),
        ...startOf(name, 'start6', long),
      };
    }),
    screening: {
      ...facts,
      decision,
      screeningId,
      ...(subjectKey !== undefined && { subjectKey }),
    },
  };
}

/** The first so many letters; absent where there are fewer. */
export const startLetters = (name: string, count: number): string | undefined => {
  const letters = [...name].slice(0, count);
  return letters.length === count ? letters.join('') : undefined;
};

function startOf<Name extends string>(name: string, member: Name, count: number) {
  const start = startLetters(name, count);
  return (start === undefined ? {} : { [member]: start }) as { readonly [Key in Name]?: string };
}

/** For the commit of the screening itself. */
export function registerChanges({ hits, screening }: RegisterRows): readonly TableChange[] {
  return [
    registeredScreeningTable.append(screening),
    ...hits.map((hit) => registeredHitTable.append(hit)),
  ];
}

/**
 * The same rows from the event. Events of former releases say neither channel nor subject: those of
 * batches count as `unit`.
 */
export function rowsOfEvent(
  tenantId: TenantId,
  event: Pick<SealedEvent, 'body' | 'occurredAt'>,
): RegisterRows {
  const { channel, requested_by, subject_key } = JSON.parse(event.body) as {
    readonly channel?: Channel;
    readonly requested_by: string;
    readonly subject_key?: string;
  };
  return registerRows(storedVerdict(event), {
    channel: channel ?? 'unit',
    occurredAt: event.occurredAt,
    requestedBy: requested_by,
    subjectKey: subject_key,
    tenantId,
  });
}
