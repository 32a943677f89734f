/**
 * Two persons sign a version, one of compliance and one of DSI, and the second signature puts it
 * into force (decision 3.3): one commit archives what was in force. The part of the log that is
 * evaluated next names the rules that it was evaluated by, so no transaction sees a mix.
 */
import { type Actor, type JsonObject, overwrite } from '#core/audit';
import {
  type DualControlSubject,
  otherSignerRoles,
  type Person,
  requireRolePair,
  signatureKey,
  type VerifiedSignature,
  verifySignature,
} from '#core/identity';
import { DomainError } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { transactionLogHeadTable } from '#slices/monitoring';
import { commitRule, editorOf, type RuleAsk, requireRule, requireUnlocked } from './changeRule.ts';
import { SIGNED_MS } from './limits.ts';
import type { RuleDeskPorts } from './ports.ts';
import { RULE_ROLE_PAIR, roles } from './roles.ts';
import { PUBLISHED_MAX } from './ruleLanguage.ts';
import {
  allRules,
  findRule,
  isOpen,
  lapse,
  nextRecord,
  putNext,
  type RulePlace,
  requireEtag,
  requireOpen,
} from './ruleRecord.ts';
import { signedRule } from './signedRules.ts';
import type { RuleRecord, RuleSignature } from './tables.ts';

/** A signature as its signer sends it. */
export interface GivenSignature {
  /** Person id; absent: the caller. */
  readonly signer?: string;
  /** Base64. */
  readonly signature: string;
  /** RFC 3339 UTC, as it was signed. */
  readonly timestamp: string;
}

/** What a signer sends. */
export interface PublishAsk extends RuleAsk, RulePlace {
  /** One, or both. */
  readonly signatures: readonly GivenSignature[];
  readonly comment?: string;
}

/** As the signed bytes name the last editor. */
export const authorOf = ({ updatedBy }: Pick<RuleRecord, 'updatedBy'>): string =>
  updatedBy.replace(/^person:/, '');

/** What both persons sign of a version. */
export const publicationSubject = ({
  baseVersion,
  contentHash,
  ruleId,
  ruleVersion,
}: Pick<
  RuleRecord,
  'baseVersion' | 'contentHash' | 'ruleId' | 'ruleVersion'
>): DualControlSubject => ({
  field: 'publish',
  newValue: { base_version: baseVersion, content_hash: contentHash, version: ruleVersion },
  resource: `monitoring_rule:${ruleId}`,
});

interface Counted {
  readonly person: Person;
  readonly signature: RuleSignature;
}
type Fresh = Counted & { readonly verified: VerifiedSignature };

/**
 * The version: in force where both have signed now, else waiting for the second person. Throws
 * `rule-unknown`, `rule-immutable`, `rule-untested`, `dual-control-…`, and `state-conflict` where
 * another version came into force since it was drafted, or there are too many.
 */
export async function publishRule(ports: RuleDeskPorts, ask: PublishAsk): Promise<RuleRecord> {
  const { tenantId } = ask;
  await requireUnlocked(ports, tenantId);
  const editor = await editorOf(ports, ask, roles.publish);
  return overwrite(
    async () => {
      const found = await signedRule(ports, tenantId, () => findRule(ports, ask));
      requireOpen(found);
      requireEtag(found, ask.isExpected);
      requireTested(found);
      requireRule(found.content, found.ruleId);
      const active = await requireBase(ports, found);
      return sign(ports, { active, ask, before: found, editor });
    },
    {
      mayRepeat: ({ changeIndex }) => {
        if (changeIndex < ask.signatures.length) throw new DomainError('dual-control-replayed');
        return true;
      },
    },
  );
}

function requireTested({ status }: RuleRecord): void {
  if (status === 'draft') throw new DomainError('rule-untested');
}

/** What is in force, which the version was drafted upon; undefined: nothing. */
async function requireBase(
  ports: RuleDeskPorts,
  draft: RuleRecord,
): Promise<RuleRecord | undefined> {
  const { ruleId, ruleVersion, tenantId } = draft;
  const rules = await allRules(ports, tenantId);
  const own = rules.filter((one) => one.ruleId === ruleId);
  const open = own.find((one) => isOpen(one) && one.version > 0 && one.ruleVersion !== ruleVersion);
  if (open !== undefined) {
    const detail = `version ${open.ruleVersion} of the rule is ${open.status}: discard it first`;
    throw new DomainError('state-conflict', { detail });
  }
  const active = own.find(({ status }) => status === 'published');
  if ((active?.ruleVersion ?? 0) !== draft.baseVersion) {
    const detail =
      `version ${active?.ruleVersion ?? 0} came into force since this was drafted upon ` +
      `${draft.baseVersion}: save the draft anew`;
    throw new DomainError('state-conflict', { detail });
  }
  const published = rules.filter(({ status }) => status === 'published').length;
  if (active === undefined && published >= PUBLISHED_MAX) {
    const detail = `expected ${PUBLISHED_MAX} rules in force at the most`;
    throw new DomainError('state-conflict', { detail });
  }
  return active === undefined
    ? undefined
    : signedRule(ports, tenantId, () => findRule(ports, active));
}

interface Signing {
  readonly active: RuleRecord | undefined;
  readonly ask: PublishAsk;
  readonly before: RuleRecord;
  readonly editor: Actor;
}

interface Known {
  readonly now: EpochMs;
  readonly persons: readonly Person[];
}

async function sign(ports: RuleDeskPorts, signing: Signing): Promise<RuleRecord> {
  const { ask, before, editor } = signing;
  const now = ports.clock.now();
  const persons = await ports.listPersons(ask.tenantId);
  const fresh = ask.signatures.map((given) => verify(signing, given, { now, persons }));
  const standing = fresh.length > 1 ? [] : countedOf(before, { now, persons });
  const [first, second] = [...standing, ...fresh];
  if (first === undefined) throw new DomainError('dual-control-signature-invalid');
  const consume = fresh.map(({ verified }) => verified.consume);
  const open = ask.comment === undefined ? {} : { comment: ask.comment };
  if (second === undefined) {
    const pending = nextRecord(before, {
      signatures: [first.signature],
      signedUntil: (now + SIGNED_MS) as EpochMs,
      status: 'PENDING_APPROVAL',
    });
    const members = {
      content_hash: pending.contentHash,
      signatures: pending.signatures.map(presentSignature),
    };
    return commitRule(ports, ask, {
      action: 'aml.rule.signed',
      before: consume,
      change: putNext(before, pending),
      editor,
      members,
      next: pending,
      open,
    });
  }
  if (first.person.id === second.person.id) {
    const detail = 'expected the signatures of two persons';
    throw new DomainError('dual-control-same-person', { detail });
  }
  requireRolePair(first.person, second.person, RULE_ROLE_PAIR);
  const signatures = [first.signature, second.signature];
  return publish(ports, signing, { consume, now, open, signatures });
}

async function publish(
  ports: RuleDeskPorts,
  { active, ask, before, editor }: Signing,
  of: {
    readonly consume: readonly VerifiedSignature['consume'][];
    readonly now: EpochMs;
    readonly open: JsonObject;
    readonly signatures: readonly RuleSignature[];
  },
): Promise<RuleRecord> {
  const { consume, now, open, signatures } = of;
  // From the next transaction on: the head of the log is expected as it was read.
  const key = { log: 'transactions', tenantId: before.tenantId } as const;
  const head = await ports.tables.find(transactionLogHeadTable, key);
  const toTseq = head?.tseq ?? 0;
  const unmoved =
    head === undefined ? [] : [transactionLogHeadTable.expect(key, { version: head.version })];
  const published = nextRecord(before, {
    fromTseq: toTseq + 1,
    publishedAt: now,
    signatures,
    signedUntil: undefined,
    status: 'published',
  });
  const archived = active && nextRecord(active, { archivedAt: now, status: 'archived', toTseq });
  return commitRule(ports, ask, {
    action: 'aml.rule.published',
    // What was in force is archived first: one version of a rule is in force at any time.
    before: [...consume, ...(active && archived ? [putNext(active, archived)] : [])],
    bus: [publishedEvent(published)],
    also: unmoved,
    change: putNext(before, published),
    editor,
    held: archived === undefined ? [] : [archived],
    members: {
      author: published.updatedBy,
      base_version: published.baseVersion,
      content: published.content as unknown as JsonObject,
      content_hash: published.contentHash,
      from_tseq: toTseq + 1,
      previous_version: active?.ruleVersion ?? null,
      signatures: signatures.map(presentSignature),
    },
    next: published,
    open: { justification: published.justification, ...open },
    severity: 'NOTICE',
  });
}

function verify(
  { ask: { tenantId }, before, editor }: Signing,
  { signature, signer, timestamp }: GivenSignature,
  { now, persons }: Known,
): Fresh {
  const named = signer ?? authorOf({ updatedBy: editor });
  const person = persons.find(({ id }) => id === named);
  if (person === undefined) {
    const detail = 'the signer is not registered';
    throw new DomainError('dual-control-signature-invalid', { detail });
  }
  requireSigner(person);
  const subject = publicationSubject(before);
  const of = { author: authorOf(before), now, signature, signer: person, subject, timestamp };
  const verified = verifySignature({ ...of, tenantId });
  const held = signerRolesOf(person);
  return {
    person,
    signature: { keyId: verified.keyId, roles: held, signature, signer: person.id, timestamp },
    verified,
  };
}

const PAIR_ROLES = [...RULE_ROLE_PAIR.first, ...RULE_ROLE_PAIR.second];
const signerRolesOf = ({ roles: held }: Pick<Person, 'roles'>) =>
  held.filter((role) => PAIR_ROLES.includes(role));

function requireSigner(person: Person): void {
  if (otherSignerRoles(person, RULE_ROLE_PAIR).length > 0) return;
  const detail = `expected a signer with one of the roles ${PAIR_ROLES.join(', ')}`;
  throw new DomainError('dual-control-roles', { detail });
}

/** What was signed before and counts still. */
function countedOf(record: RuleRecord, { now, persons }: Known): Counted[] {
  const author = authorOf(record);
  const subject = publicationSubject(record);
  return lapse(record, now).signatures.flatMap((signature) => {
    const signer = persons.find(({ id }) => id === signature.signer);
    if (signer === undefined || signerRolesOf(signer).length === 0) return [];
    const keyId = signatureKey({ ...signature, author, now, signer, subject });
    return keyId === undefined ? [] : [{ person: signer, signature }];
  });
}

/** A signature as it stands in evidence and on the wire. */
export const presentSignature = ({
  keyId,
  roles: held,
  signature,
  signer,
  timestamp,
}: RuleSignature): JsonObject => ({
  key_id: keyId,
  roles: [...held],
  signature,
  signer,
  timestamp,
});

const publishedEvent = ({ contentHash, ruleId, ruleVersion, tenantId }: RuleRecord) =>
  ({
    partition: tenantId,
    payload: { content_hash: contentHash, rule_id: ruleId, rule_version: ruleVersion },
    topic: 'aml.rules.published',
  }) as const;
