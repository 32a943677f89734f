/** What a customer has agreed to, and what they have withdrawn: each is an entry of its own. */
import { DomainError } from '#core/kernel';
import { type EpochMs, toTimestamp } from '#platform/clock';
import { uuidV7 } from '#platform/random';
import type { CaseAsk } from './caseRecord.ts';
import { changeCase } from './changeCase.ts';
import { CONSENTS_MAX } from './limits.ts';
import { requireUndecided } from './patchCase.ts';
import type { CasePorts } from './ports.ts';
import type { CaseRecord, Consent } from './tables.ts';
import type { ConsentMethod, ConsentPurpose } from './words.ts';

/** A consent as it comes. */
export interface GivenConsent {
  readonly purpose: ConsentPurpose;
  readonly textVersion: string;
  readonly textSha256?: string;
  readonly given: boolean;
  readonly givenAt?: EpochMs;
  readonly method: ConsentMethod;
  readonly locale: string;
  readonly expiresAt?: EpochMs;
}

/** Clocks of those who send consents differ from ours by so much at the most. */
const AHEAD_MS_MAX = 5 * 60_000;

const wrongTime = (pointer: string, detail: string): DomainError =>
  new DomainError('body-invalid', {
    detail: `${pointer}: ${detail}`,
    violations: [{ code: 'range', detail, pointer }],
  });

/** The consent as it is kept. Throws `body-invalid`, `consent-text-unknown`, `state-conflict`. */
export function consentOf(
  { clock, random }: Pick<CasePorts, 'clock' | 'random'>,
  { consents }: Pick<CaseRecord, 'consents'>,
  given: GivenConsent,
  recordedBy: string,
): Consent {
  const recordedAt = clock.now();
  if (consents.length >= CONSENTS_MAX) {
    const detail = `a case has at most ${CONSENTS_MAX} consents`;
    throw new DomainError('state-conflict', { detail });
  }
  const { expiresAt, givenAt = recordedAt, textSha256, textVersion } = given;
  if (givenAt > recordedAt + AHEAD_MS_MAX) {
    throw wrongTime('/given_at', 'expected a time that has come');
  }
  if (expiresAt !== undefined && expiresAt <= givenAt) {
    throw wrongTime('/expires_at', 'expected a time after given_at');
  }
  const other = consents.find(
    (one) =>
      one.purpose === given.purpose &&
      one.textVersion === textVersion &&
      one.locale === given.locale &&
      one.textSha256 !== undefined,
  );
  if (textSha256 !== undefined && other !== undefined && other.textSha256 !== textSha256) {
    const detail = 'expected the digest of the text that this version had before';
    const violations = [{ code: 'unknown', detail, pointer: '/text_sha256' }];
    throw new DomainError('consent-text-unknown', { detail, violations });
  }
  return { ...given, consentId: uuidV7(recordedAt, random), givenAt, recordedAt, recordedBy };
}

/** A withdrawal is taken whatever the state of the case; a consent until it is decided. */
export async function recordConsent(
  ports: CasePorts,
  ask: CaseAsk,
  given: GivenConsent,
): Promise<{ readonly consent: Consent; readonly record: CaseRecord }> {
  let consent: Consent | undefined;
  const record = await changeCase(ports, ask, ({ record }) => {
    if (given.given) requireUndecided(record);
    consent = consentOf(ports, record, given, ask.actor);
    return {
      change: { consents: [...record.consents, consent] },
      entry: {
        action: given.given ? 'kyc.consent.given' : 'kyc.consent.withdrawn',
        members: {
          consent_id: consent.consentId,
          given_at: toTimestamp(consent.givenAt),
          method: consent.method,
          purpose: consent.purpose,
          text_sha256: consent.textSha256 ?? null,
          text_version: consent.textVersion,
        },
      },
      isInput: given.given,
    };
  });
  if (consent === undefined) throw new DomainError('internal', { detail: 'no consent was made' });
  return { consent, record };
}
