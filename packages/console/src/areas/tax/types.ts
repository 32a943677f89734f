/** What the pages of tax reporting read of the API's answers, by their wire names. */
export interface Institution {
  readonly giin: string;
  readonly name: string;
  readonly country: string;
  readonly iga_model?: string;
  readonly profile?: string;
  readonly reportable_jurisdictions?: readonly string[];
  readonly updated_at: string;
}

interface PartyName {
  readonly first?: string;
  readonly last?: string;
  readonly name?: string;
}

export interface AccountRow {
  readonly account: {
    readonly account_ref: string;
    readonly account_number: string;
    readonly balance: { readonly amount: string; readonly currency: string };
    readonly holder: {
      readonly kind: string;
      readonly names: readonly PartyName[];
      readonly residence_countries: readonly string[];
    };
  };
  readonly reportable: boolean;
  readonly reasons: readonly string[];
}

export interface DeclarationRow {
  readonly declaration_id: string;
  readonly reference: string;
  readonly regime: string;
  readonly type: string;
  readonly reporting_period: string;
  readonly nil_report: boolean;
  readonly account_count: number;
  readonly status: string;
  readonly outcome: string | null;
  readonly submission_date: string | null;
  readonly created_at: string;
}

export interface Message {
  readonly message_no: number;
  readonly message_ref_id: string;
  readonly record_count: number;
  readonly xml_bytes: number;
  readonly status: string | null;
  readonly sender_file_id: string | null;
  readonly deposited_at: string | null;
  readonly receipt_at: string | null;
  readonly ides_reference: string | null;
  readonly notification_code: string | null;
  readonly record_errors: number;
}

export interface Declaration extends DeclarationRow {
  readonly reporting_fi_giin: string;
  readonly receiving_country: string;
  readonly test: boolean;
  readonly errors_count: number;
  readonly warnings_count: number;
  readonly messages: readonly Message[];
  readonly timeline: readonly {
    readonly at: string;
    readonly to: string;
    readonly by: string;
    readonly cause: string;
  }[];
}

export interface Finding {
  readonly account_ref: string | null;
  readonly pointer: string;
  readonly code: string;
  readonly detail: string;
  readonly severity: string;
}

export interface WrongRecord {
  readonly message_no: number;
  readonly code: string;
  readonly doc_ref_id: string;
  readonly fields: readonly { readonly name: string; readonly text: string }[];
  readonly meaning: string | null;
}
