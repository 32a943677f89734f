/** Drafts, keys and clocks of the audit tests. */
import { createHash } from 'node:crypto';
import type { Commit, EventDraft } from '#core/audit';
import type { ChainId, EventId, ScreeningId } from '#core/kernel';
import type { Clock, EpochMs } from '../../../src/platform/clock.ts';
import { signerFromSeed } from '../../../src/platform/crypto.ts';
import type { Random } from '../../../src/platform/random.ts';

export const TENANT = '018f4e1c-7a01-7000-8000-000000000001' as ChainId;
export const OTHER_TENANT = '018f4e1c-7a01-7000-8000-000000000002' as ChainId;

/** Reproducible, and different for each seed. */
export function seededSigner(seed: string) {
  return signerFromSeed(createHash('sha256').update(seed).digest());
}

/** Reproducible bytes. */
export function seededRandom(seed: string): Random {
  let counter = 0;
  return {
    bytes: (count) =>
      createHash('shake256', { outputLength: count }).update(`${seed}${counter++}`).digest(),
  };
}

export const clockAt = (iso: string): Clock => ({
  now: () => Date.parse(iso) as EpochMs,
  monotonicMs: () => performance.now(),
});

const uuid = (kind: string, n: number): string =>
  `018f4e1c-7a${kind}-7000-8000-${n.toString(16).padStart(12, '0')}`;

/** Every third one an entry, the others screenings. */
export function draft(n: number): EventDraft {
  const shared = {
    eventId: uuid('0e', n) as EventId,
    occurredAt: (Date.parse('2026-05-04T08:00:00.000Z') + n * 137) as EpochMs,
  };
  if (n % 3 === 0) {
    return {
      ...shared,
      type: 'entry',
      action: 'kyc.case.created',
      members: { action: 'kyc.case.created', actor: 'key-1', severity: 'INFO', case_id: n },
      open: { subject: `Zoë Müller ${n}`, note: 'تجربة' },
    };
  }
  return {
    ...shared,
    type: 'screening',
    screeningId: uuid('5c', n) as ScreeningId,
    decision: n % 2 ? 'CLEAR' : 'MATCH_DIRECT_SANCTIONS',
    members: {
      candidates: [
        { categories: ['SAN'], finalScore: 0.912345678, ftm_id: `DEMO-${n}`, rcaHits: [] },
        { categories: [], finalScore: n / 7, ftm_id: 'DEMO-é', rcaHits: [{ depth: 1 }] },
      ],
      list_version: 'v2026-05-04.a',
      reranker_version: '1.0.0',
      thresholds: { MATCH_DIRECT_SANCTIONS: 0.92 },
      truncated: n % 2 === 0,
      verdict: { decision: n % 2 ? 'CLEAR' : 'MATCH_DIRECT_SANCTIONS' },
      weights: { alias: 0.1, name: 1e-7, phonetic: 1 / 3 },
    },
    open: { name: `ivan ${n}`, names: [`Иван ${n}`], dob: null },
  };
}

export function commitOf(events: readonly EventDraft[], extra: Partial<Commit> = {}): Commit {
  return { events, bus: [], changes: [], ...extra };
}

/** Chains of tenants 10 and up. */
export const chainName = (n: number): ChainId => uuid('01', 16 + n) as ChainId;
