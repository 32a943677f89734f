/** A whole report as goAML knows it: who reports, why, and on what. */
import { type PartyContent, partiesOf, partyPointer } from './content.ts';
import { type Fact, type FactNode, leaf, node } from './facts.ts';
import { accountFacts, addressFacts, organisationFacts, personFacts } from './partyFacts.ts';
import type { ProfileSettings } from './profile.ts';
import { type FactSource, type HolderFacts, transactionFacts } from './transactionFacts.ts';

/** What is decided where it is submitted. */
export interface ReportFrame {
  readonly profile: ProfileSettings;
  readonly entityReference: string;
  /** The reference of the one that was refused. */
  readonly rejectedReference?: string;
  /** As the schema has it, in the FIU's zone. */
  readonly submittedAt: string;
}

const WANTED = {
  indicator: '/indicators',
  reason: '/narrative',
  report_code: '/report_code',
  report_indicators: '/indicators',
  transaction: '/transactions',
};

/** Always a node: a report without anything has its frame. */
export function reportFacts(
  source: FactSource,
  { entityReference, profile, rejectedReference, submittedAt }: ReportFrame,
): FactNode {
  const { content, latin } = source;
  const holders: HolderFacts = new Map();
  const isActivity = profile.activity_codes.includes(content.report_code);
  const indicator = content.indicators.flatMap((one, at) => leaf(one, `/indicators/${at}`));
  const { location, reporting_person } = profile;
  const members: Record<string, readonly Fact[]> = {
    action: leaf(content.action, '/action'),
    activity: isActivity ? activityFacts(source) : [],
    currency_code_local: leaf(profile.currency, ''),
    entity_reference: leaf(entityReference, ''),
    fiu_ref_number: leaf(content.fiu_reference, '/fiu_reference'),
    location: location === undefined ? [] : ours(addressFacts(location, '')),
    prev_rejected_ref_number: leaf(rejectedReference, ''),
    reason: leaf(content.narrative, '/narrative'),
    rentity_branch: leaf(profile.rentity_branch, ''),
    rentity_id: leaf(profile.rentity_id, ''),
    report_code: leaf(content.report_code, '/report_code'),
    report_indicators: node({ indicator }, { at: '', wanted: WANTED }),
    reporting_person:
      reporting_person === undefined ? [] : ours(personFacts(reporting_person, '', latin)),
    reporting_user_code: leaf(profile.reporting_user_code, ''),
    submission_code: leaf('E', ''),
    submission_date: leaf(submittedAt, ''),
    transaction: isActivity
      ? []
      : content.transactions.flatMap((_, place) => transactionFacts(source, place, holders)),
  };
  return { at: '', kind: 'node', members, wanted: WANTED };
}

/** Values of the profile have no place in the draft. */
function ours(facts: readonly Fact[]): readonly Fact[] {
  return facts.map((fact) => {
    if (fact.kind === 'leaf') return { ...fact, at: '' };
    const members = Object.entries(fact.members).map(([name, inner]) => [name, ours(inner)]);
    return { ...fact, at: '', members: Object.fromEntries(members), wanted: {} };
  });
}

function activityFacts(source: FactSource): readonly Fact[] {
  const party = partiesOf(source.content).flatMap((one) => partyFacts(source, one));
  return node(
    { report_parties: node({ report_party: party }, { at: '/counterparties' }) },
    { at: '', wanted: {} },
  );
}

function partyFacts({ content, latin }: FactSource, party: PartyContent): readonly Fact[] {
  const at = partyPointer(content, party.id);
  const suffix = party.is_customer ? '_my_client' : '';
  const [account] = party.accounts ?? [];
  const isPerson = party.kind === 'person';
  const name = account !== undefined ? 'account' : isPerson ? 'person' : 'entity';
  const facts =
    account !== undefined
      ? accountFacts(account, `${at}/accounts/0`, { at, latin, party })
      : isPerson
        ? personFacts(party, at, latin)
        : organisationFacts(party, at, latin);
  return node(
    {
      country: leaf(party.residence ?? party.incorporation_country, `${at}/residence`),
      reason: leaf(party.reason, `${at}/reason`),
      role: leaf(party.role, `${at}/role`),
      significance: leaf(party.significance, `${at}/significance`),
      [`${name}${suffix}`]: facts,
    },
    {
      at,
      otherwise: {
        account: 'account_my_client',
        entity: 'entity_my_client',
        person: 'person_my_client',
      },
      wanted: { reason: '/reason', role: '/role' },
    },
  );
}
