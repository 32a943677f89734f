/**
 * The register of screenings: what lists of them are found by. A row is written in the commit of
 * its screening, or made later from its event (src/slices/sanctions), which alone is evidence. Rows
 * hold ids, verdicts and names of listed parties; who was screened is read from the event.
 */
import { type TenantId, table } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import type { Decision } from './verdict.ts';

/** How a name came to be screened. */
export const CHANNELS = [
  'unit',
  'batch_item',
  'rescreening',
  'transaction',
  'transaction_text',
] as const;
/** One of CHANNELS. */
export type Channel = (typeof CHANNELS)[number];

/** Whether a screening is of a payment: of a party, or of a name in its free text. */
export interface OfPayment {
  readonly isOfTransaction?: true;
  readonly isOfText?: true;
}

/** What channels say of it. */
export const OF_PAYMENT: Readonly<Partial<Record<Channel, OfPayment>>> = {
  transaction: { isOfTransaction: true },
  transaction_text: { isOfText: true, isOfTransaction: true },
};

/** One screening. */
export interface RegisteredScreening {
  readonly tenantId: TenantId;
  readonly screeningId: string;
  readonly occurredAt: EpochMs;
  readonly decision: Decision;
  readonly channel: Channel;
  /** Id of the API key or of the account. */
  readonly requestedBy: string;
  /** Digest of the customer's reference (`subjectKeyOfRef`), where one was given. */
  readonly subjectKey?: string;
}

/** A listed party that one screening has hit. */
export interface RegisteredHit {
  readonly tenantId: TenantId;
  readonly screeningId: string;
  readonly ftmId: string;
  readonly occurredAt: EpochMs;
  /** Its primary name, folded, cut to NAME_CHARS_MAX. */
  readonly name: string;
  /** The first three and six letters of it: prefixes are sought by them, in the order of time. */
  readonly start3?: string;
  readonly start6?: string;
}

/**
 * Screenings of a tenant, latest first. There is no index by time alone: a page over all decisions
 * merges their six ranges, which costs each screening one index less.
 */
export const registeredScreeningTable = table<RegisteredScreening, 'tenantId' | 'screeningId'>(
  'registered_screening',
  {
    key: ['tenantId', 'screeningId'],
    chain: 'tenantId',
    writes: 'rows',
    indexes: {
      byChannel: ['tenantId', 'channel', 'decision', 'occurredAt'],
      byDecision: ['tenantId', 'decision', 'occurredAt'],
      byRequester: ['tenantId', 'requestedBy', 'occurredAt'],
      bySubject: ['tenantId', 'subjectKey', 'occurredAt'],
    },
    personal: {
      requestedBy: { purpose: 'accountability: who had the name screened' },
      subjectKey: { purpose: 'finding the screenings of one customer; a digest' },
    },
  },
);

/** Hits of screenings, by listed party and by the beginning of its name. */
export const registeredHitTable = table<RegisteredHit, 'tenantId' | 'screeningId' | 'ftmId'>(
  'registered_hit',
  {
    key: ['tenantId', 'screeningId', 'ftmId'],
    chain: 'tenantId',
    writes: 'rows',
    indexes: {
      byEntity: ['tenantId', 'ftmId', 'occurredAt'],
      byStart3: ['tenantId', 'start3', 'occurredAt'],
      byStart6: ['tenantId', 'start6', 'occurredAt'],
    },
    personal: 'none',
  },
);
