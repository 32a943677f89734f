/**
 * Two persons sign a version, one of compliance and one of DSI, and the second signature puts it
 * into force (decision 3.3): one commit archives what was in force. The part of the log that is
 * evaluated next names the rules that it was evaluated by, so no transaction sees a mix.
 */
import { type Actor, type Commit, type JsonObject, overwrite } from '#core/audit';
import {
  asOneUse,
  type DualControlSubject,
  type GivenSignature,
  type Person,
  type PublicationSignature,
  presentSignature,
  signedAuthorOf,
  twoSigners,
  type VerifiedSignature,
} from '#core/identity';
import { DomainError } from '#core/kernel';
import type { EpochMs } from '#platform/clock';
import { transactionLogHeadTable } from '#slices/monitoring';
import { requireUnlocked } from '#slices/policies';
import { commitRule, editorOf, type RuleAsk, requireRule } from './changeRule.ts';
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
import type { RuleRecord } from './tables.ts';

/** Who may sign, and which signatures count. */
export const ruleSigners = twoSigners(RULE_ROLE_PAIR);

/** What a signer sends. */
export interface PublishAsk extends RuleAsk, RulePlace {
  /** One, or both. */
  readonly signatures: readonly GivenSignature[];
  readonly comment?: string;
}

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

/**
 * The version: in force where both have signed now, else waiting for the second person. Throws
 * `rule-unknown`, `rule-immutable`, `rule-untested`, `dual-control-…`, and `state-conflict` where
 * another version came into force since it was drafted, or there are too many.
 */
export async function publishRule(ports: RuleDeskPorts, ask: PublishAsk): Promise<RuleRecord> {
  const { tenantId } = ask;
  await requireUnlocked(ports, tenantId);
  const editor = await editorOf(ports, ask, roles.publish);
  return overwrite(async () => {
    const { active, draft } = await signableRule(ports, ask);
    requireEtag(draft, ask.isExpected);
    return sign(ports, { active, ask, before: draft, editor });
  }, asOneUse(ask.signatures));
}

/** A version that may be signed, and what is in force. */
export interface SignableRule {
  readonly active: RuleRecord | undefined;
  readonly draft: RuleRecord;
}

/** Throws as `publishRule`, but for signatures. */
export async function signableRule(ports: RuleDeskPorts, place: RulePlace): Promise<SignableRule> {
  const draft = await signedRule(ports, place.tenantId, () => findRule(ports, place));
  requireOpen(draft);
  requireTested(draft);
  requireRule(draft.content, draft.ruleId);
  return { active: await requireBase(ports, draft), draft };
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

type PublishedBy = Pick<RuleAsk, 'idempotency' | 'ip' | 'tenantId'>;

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
  const { tenantId } = ask;
  const signed = signedBy(before, { now, persons });
  const fresh = ask.signatures.map((given) =>
    ruleSigners.verify(given, { ...signed, caller: editor, tenantId }),
  );
  const standing = fresh.length > 1 ? [] : countedSignatures(before, { now, persons });
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
  ruleSigners.requireBoth(first.person, second.person);
  const signatures = [first.signature, second.signature];
  return publish(ports, signing, { consume, now, open, signatures });
}

/** Puts the version into force; both signatures were verified. */
export async function publish(
  ports: RuleDeskPorts,
  { active, ask, before, editor }: Omit<Signing, 'ask'> & { readonly ask: PublishedBy },
  of: {
    readonly consume: readonly VerifiedSignature['consume'][];
    readonly now: EpochMs;
    readonly open: JsonObject;
    readonly signatures: readonly PublicationSignature[];
    /** Goes into the same commit. */
    readonly alongside?: Partial<Pick<Commit, 'bus' | 'changes' | 'events'>> | undefined;
  },
): Promise<RuleRecord> {
  const { alongside, consume, now, open, signatures } = of;
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
    bus: [publishedEvent(published), ...(alongside?.bus ?? [])],
    also: [...(alongside?.changes ?? []), ...unmoved],
    events: alongside?.events ?? [],
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

/** What is signed of a version, in whose name. */
const signedBy = (record: RuleRecord, known: Known) => ({
  ...known,
  author: signedAuthorOf(record),
  subject: publicationSubject(record),
});

/** What was signed before and counts still. */
export const countedSignatures = (record: RuleRecord, known: Known) =>
  ruleSigners.counted(lapse(record, known.now).signatures, signedBy(record, known));

const publishedEvent = ({ contentHash, ruleId, ruleVersion, tenantId }: RuleRecord) =>
  ({
    partition: tenantId,
    payload: { content_hash: contentHash, rule_id: ruleId, rule_version: ruleVersion },
    topic: 'aml.rules.published',
  }) as const;
