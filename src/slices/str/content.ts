/**
 * What a report says, as its author gives it and as it is stored: members are spelt as on the wire,
 * so that a record is its own presentation and a pointer names the same place everywhere. It is
 * personal data throughout, and is stored sealed.
 */
import type { JsonObject } from '#core/audit';
import { canonicalJson } from '#platform/canonicalJson';
import { sha256Hex } from '#platform/crypto';

export interface Phone {
  readonly contact_type?: string;
  readonly communication_type?: string;
  readonly country_prefix?: string;
  readonly number: string;
  readonly extension?: string;
}

export interface Address {
  readonly type?: string;
  readonly address: string;
  readonly town?: string;
  readonly city?: string;
  readonly zip?: string;
  readonly country: string;
  readonly state?: string;
}

export interface Identification {
  readonly type: string;
  readonly number: string;
  readonly issue_date?: string;
  readonly expiry_date?: string;
  readonly issued_by?: string;
  readonly country: string;
}

export interface Account {
  readonly account: string;
  readonly iban?: string;
  readonly institution_name?: string;
  readonly institution_code?: string;
  readonly swift?: string;
  readonly institution_country?: string;
  readonly non_bank_institution?: boolean;
  readonly branch?: string;
  readonly currency?: string;
  readonly account_name?: string;
  readonly client_number?: string;
  readonly type?: string;
  readonly opened?: string;
  readonly closed?: string;
  readonly status?: string;
  readonly balance?: string;
  readonly balance_date?: string;
  readonly beneficiary?: string;
  /** As whom the party has the account: holder, signatory. */
  readonly role?: string;
  readonly comments?: string;
}

/** What a person and an organisation have in common. */
interface Reachable {
  readonly phones?: readonly Phone[];
  readonly addresses?: readonly Address[];
  readonly emails?: readonly string[];
  readonly tax_number?: string;
  readonly tax_reg_number?: string;
  readonly comments?: string;
}

/** A natural person. */
export interface PersonContent extends Reachable {
  /** In full, in any script. */
  readonly name?: string;
  readonly first_name?: string;
  readonly middle_name?: string;
  readonly last_name?: string;
  readonly prefix?: string;
  readonly title?: string;
  readonly gender?: string;
  readonly birth_date?: string;
  readonly birth_place?: string;
  readonly country_of_birth?: string;
  readonly mothers_name?: string;
  readonly alias?: string;
  readonly ssn?: string;
  readonly id_number?: string;
  readonly passport_number?: string;
  readonly passport_country?: string;
  readonly nationalities?: readonly string[];
  readonly residence?: string;
  readonly occupation?: string;
  readonly employer_name?: string;
  readonly source_of_wealth?: string;
  readonly identifications?: readonly Identification[];
}

/** What only an organisation has. */
export interface OrganisationContent {
  readonly commercial_name?: string;
  readonly legal_form?: string;
  readonly registration_number?: string;
  readonly business?: string;
  readonly incorporation_date?: string;
  readonly incorporation_country?: string;
  readonly incorporation_state?: string;
  readonly url?: string;
  readonly representatives?: readonly (PersonContent & { readonly role?: string })[];
}

/** A person or an organisation of the report. */
export interface PartyContent extends PersonContent, OrganisationContent {
  /** By which transactions name it; the subject's is `subject`. */
  readonly id: string;
  readonly kind: 'organisation' | 'person';
  /** A customer of the reporter: goAML asks more of those. */
  readonly is_customer: boolean;
  readonly accounts?: readonly Account[];
  /** As what it takes part, where the report is of an activity. */
  readonly role?: string;
  /** Why it is in the report. */
  readonly reason?: string;
  readonly significance?: number;
}

/** One transaction of the report. */
export interface TransactionContent {
  readonly id: string;
  readonly date: string;
  readonly value_date?: string;
  readonly amount: string;
  readonly currency: string;
  /** In the currency of the FIU, where that is another. */
  readonly local_amount?: string;
  readonly exchange_rate?: string;
  /** As the party sees it. */
  readonly direction: 'credit' | 'debit';
  /** Absent: the subject. */
  readonly party?: string;
  /** Which of the party's accounts; absent: the first. */
  readonly account?: string;
  readonly counterparty: string;
  readonly counterparty_account?: string;
  /** Country of the counterparty's side. */
  readonly country?: string;
  /** By what means the money moved: our words, or the FIU's codes. */
  readonly channel?: string;
  readonly channel_comment?: string;
  readonly funds?: string;
  readonly location?: string;
  readonly description?: string;
  readonly internal_ref?: string;
  /** Who acted for the party. */
  readonly conductor?: string;
  readonly comments?: string;
}

/** A file that goes with the report. */
export interface Attachment {
  readonly attachment_id: string;
  readonly file_name: string;
  readonly media_type: string;
  readonly bytes: number;
  readonly sha256: string;
  /** Its sealed blob. */
  readonly blob: string;
}

/** All that a person writes into a report. */
export interface ReportContent {
  readonly report_code: string;
  /** The FIU: by the name of its profile's authority where it is not given. */
  readonly destination: string;
  readonly narrative?: string;
  /** What the reporter has done. */
  readonly action?: string;
  readonly indicators: readonly string[];
  /** What the reporter calls it towards the FIU; absent: a name is made. */
  readonly entity_reference?: string;
  /** A report of the FIU's that this one goes on from. */
  readonly fiu_reference?: string;
  readonly subject?: PartyContent;
  readonly counterparties: readonly PartyContent[];
  readonly transactions: readonly TransactionContent[];
  readonly attachments: readonly Attachment[];
  /** The alert that it was drafted from. */
  readonly alert_id?: string;
}

/** As it is stored: the salt keeps its digest from being guessed at once it is erased. */
export interface StoredContent extends ReportContent {
  readonly salt: string;
}

export const SUBJECT_ID = 'subject';

/** What a data protection officer signs, and what a submission pins. */
export const contentHash = (content: StoredContent): string =>
  sha256Hex(`str-content-v1\0${canonicalJson(content as unknown as JsonObject)}`);

/** The subject first. */
export const partiesOf = ({
  counterparties,
  subject,
}: Pick<ReportContent, 'counterparties' | 'subject'>): readonly PartyContent[] =>
  subject === undefined ? counterparties : [subject, ...counterparties];

/** Where a party stands in the draft. */
export const partyPointer = (content: ReportContent, id: string): string =>
  id === SUBJECT_ID
    ? '/subject'
    : `/counterparties/${content.counterparties.findIndex((party) => party.id === id)}`;
