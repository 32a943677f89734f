/**
 * Every member of a table that is declared as personal data, and whose: of those that are about a
 * tenant's customer, whether he is given it, and by which marked value that is tried. A declaration
 * that is not here fails the test.
 */
import type { AnyTable, PersonalMember } from '#core/kernel';

/** What becomes of a member that is about a customer. */
export interface Canary {
  /** Or why he is not given it. */
  readonly given: true | string;
  /**
   * `ref`: it has the customer's reference or a digest of it; a word: it is planted with that; a
   * path: the test that plants it.
   */
  readonly by: string;
}

const REF = 'ref';
const SUSPICION = 'what was found about him, and what people thought of it';
const OF_A_COPY = 'a copy of what he is given elsewhere';
const FINDS = 'a digest, or an id, by which he is found';

const tried = (given: Canary['given'], by: string): Canary => ({ by, given });

/** By table and member. */
export const CANARIES: Readonly<Record<string, Canary>> = {
  'alert_annotation.text': tried(SUSPICION, 'test/slices/alerts/eraseTexts.test.ts'),
  'aml_rule_alert.alert': tried(SUSPICION, 'test/slices/rules/altered.test.ts'),
  'aml_rule_position.windows': tried(OF_A_COPY, 'test/slices/rules/windows.test.ts'),
  'batch_review.notes': tried(SUSPICION, 'test/slices/batches/eraseSubjects.test.ts'),
  'customer_fact.customerId': tried(true, REF),
  'customer_fact.expectedTurnover': tried(true, '77123.45'),
  'customer_fact.openedAt': tried(true, '2019-07-13'),
  'customer_fact.residence': tried(true, '"LU"'),
  'customer_fact.riskTier': tried(true, 'very_high'),
  'exclusion.reason': tried(SUSPICION, 'test/slices/privacy/erasureOfSlices.test.ts'),
  'exclusion.subjectKey': tried(FINDS, REF),
  'exclusion.subjectRef': tried(true, 'test/slices/privacy/erasureOfSlices.test.ts'),
  'form_submission.sealed': tried(true, 'test/slices/forms/submissions.test.ts'),
  'identity_vault.sealed': tried(OF_A_COPY, 'test/slices/privacy/erasure.test.ts'),
  'kyc_case.consents': tried(true, 'canary-consent-v7'),
  'kyc_case.externalRef': tried(true, REF),
  'kyc_case.sealed': tried(true, 'Canarycase'),
  'kyc_document.blob': tried(true, 'test/slices/customers/documents.test.ts'),
  'kyc_document.readBlob': tried(true, 'test/slices/customers/documents.test.ts'),
  'kyc_document.textBlob': tried(OF_A_COPY, 'test/slices/customers/documents.test.ts'),
  'kyc_subject.changes': tried('who asked for it', 'test/slices/customers/rectify.test.ts'),
  'kyc_subject.externalRef': tried(true, REF),
  'legal_hold.reason': tried(SUSPICION, 'Canaryhold'),
  'legal_hold.subjectRef': tried(SUSPICION, REF),
  'monitored_subject.known': tried(SUSPICION, 'test/slices/rescreening/watched.test.ts'),
  'monitored_subject.subject': tried(true, 'Canarywatched'),
  'monitored_subject.subjectRef': tried(true, REF),
  'privacy_request.caseId': tried(FINDS, REF),
  'privacy_request.identity': tried(
    'who proved it, and how',
    'test/slices/privacy/requests.test.ts',
  ),
  'privacy_request.note': tried(true, 'Canarynote'),
  'privacy_request.requester': tried(true, 'Canarycontact'),
  'privacy_request.subjectId': tried(FINDS, REF),
  'privacy_request.subjectRef': tried(FINDS, REF),
  'registered_screening.subjectKey': tried(FINDS, REF),
  'registry_extract.byIdentifier': tried('published companies', 'test/slices/registries'),
  'registry_extract.byWord': tried('published companies', 'test/slices/registries'),
  'registry_lookup.blob': tried(true, 'test/slices/registries'),
  'registry_lookup.queryDigest': tried(FINDS, 'test/slices/registries'),
  'rescreening_sighting.subjectDigest': tried(FINDS, REF),
  'risk_rating.evaluatedLevel': tried(true, 'test/slices/risk'),
  'risk_rating.level': tried(true, 'test/slices/risk'),
  'risk_rating.manual': tried('who set it, and why', 'test/slices/risk'),
  'risk_rating.score': tried('no score is told', 'test/slices/risk'),
  'subject_flag.opposed': tried(true, '"opposed"'),
  'subject_flag.processingRestricted': tried(true, '"processing_restricted"'),
  'subject_flag.reason': tried(true, 'Canaryflag'),
  'subject_flag.subjectRef': tried(true, REF),
  'tax_account_place.accountRef': tried(FINDS, 'test/slices/tax'),
  'tax_classification.subjectRef': tried(true, 'test/slices/tax'),
  'tax_declaration.records': tried(OF_A_COPY, 'test/slices/tax'),
  'tax_form.entityRef': tried(true, 'test/slices/tax/formEnds.test.ts'),
  'tax_form.subjectRef': tried(true, 'test/slices/tax/formEnds.test.ts'),
  'transaction_log.sealed': tried(true, 'Canarypayer'),
  'transaction_match.accountId': tried(SUSPICION, 'test/slices/monitoring/erasePayments.test.ts'),
  'webhook_message.body': tried(OF_A_COPY, 'test/slices/webhooks'),
};

/** Members of people of the tenant, its systems or its partners: no customer is behind them. */
export const OTHERS: ReadonlySet<string> = new Set([
  'alert_numbering.tally',
  'api_key.name',
  'batch.name',
  'batch.requestedBy',
  'batch.source',
  'batch_review.reviewerId',
  'console_login.tokens',
  'list_resolution.apart',
  'str_profile.settings',
  'str_remote.user',
  'tenant.name',
  'webhook_delivery.lastResponseBody',
  'webhook_endpoint.description',
]);

/** Purposes of what is kept of those who work with the product. */
const OF_STAFF = /^(?:accountability|dual control|four eyes|notices):/;

/** Declared members that are neither of staff nor of others. */
export function membersOfCustomers(tables: readonly AnyTable[]): readonly string[] {
  return tables.flatMap(({ name, spec }) => {
    const { personal } = spec as { personal: 'none' | Record<string, PersonalMember> };
    return personal === 'none'
      ? []
      : Object.entries(personal)
          .filter(([, { purpose }]) => !OF_STAFF.test(purpose))
          .map(([member]) => `${name}.${member}`)
          .filter((member) => !OTHERS.has(member));
  });
}
