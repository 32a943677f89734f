/** Who a case is about: each statement, and where it comes from. */
import { Fragment, type JSX } from 'preact';
import { Code, Data } from '../../parts/data.tsx';
import { Table } from '../../parts/table.tsx';
import { useI18n } from './i18n.ts';
import type { BusinessPerson, Case, Subject } from './types.ts';

/** In the order of a form. */
const TEXTS = [
  'full_name',
  'full_name_ar',
  'first_name',
  'last_name',
  'legal_name',
  'legal_form',
  'registration_number',
  'tax_id',
  'incorporated_on',
  'dob',
  'nationality',
  'country_residence',
  'gender',
  'national_id',
  'occupation',
  'email',
  'phone',
] as const;
/** What reads from left to right wherever it stands. */
const CODES: ReadonlySet<string> = new Set([
  'country_residence',
  'dob',
  'email',
  'incorporated_on',
  'national_id',
  'nationality',
  'phone',
  'registration_number',
  'tax_id',
]);
const PLACE = ['line1', 'line2', 'postal_code', 'city', 'region', 'country'] as const;

export function CaseSubject({ of }: { readonly of: Case }): JSX.Element {
  const { t } = useI18n();
  const { subject } = of;
  return (
    <section aria-labelledby="subject">
      <h2 id="subject">{t('caseSubject')}</h2>
      {subject === null ? (
        <p>{t('noSubject')}</p>
      ) : (
        <>
          <Facts of={of} subject={subject} />
          <People of={subject.officers} title={t('field_officers')} />
          <People of={subject.beneficial_owners} title={t('field_beneficial_owners')} />
        </>
      )}
    </section>
  );
}

function Facts({ of, subject }: { readonly of: Case; readonly subject: Subject }): JSX.Element {
  const { t } = useI18n();
  const said = TEXTS.filter((name) => typeof subject[name] === 'string');
  const { address, expected_turnover: turnover } = subject;
  const origin = (name: string): JSX.Element | null => {
    const source = of.provenance?.[name]?.source;
    if (source === undefined) return null;
    return (
      <span class="muted">
        {' '}
        ({t('origin')}: {t(`origin_${source}`)})
      </span>
    );
  };
  return (
    <dl class="panel facts">
      {said.map((name) => (
        <Fragment key={name}>
          <dt>{t(`field_${name}`)}</dt>
          <dd>
            <Value name={name} text={String(subject[name])} />
            {origin(name)}
          </dd>
        </Fragment>
      ))}
      {address === undefined ? null : (
        <>
          <dt>{t('field_address')}</dt>
          <dd>
            <Data text={PLACE.flatMap((part) => address[part] ?? []).join(', ')} />
            {origin('address')}
          </dd>
        </>
      )}
      {turnover === undefined ? null : (
        <>
          <dt>{t('field_expected_turnover')}</dt>
          <dd>
            <Code text={`${turnover.amount} ${turnover.currency}`} />
            {origin('expected_turnover')}
          </dd>
        </>
      )}
    </dl>
  );
}

const Value = ({ name, text }: { readonly name: string; readonly text: string }): JSX.Element =>
  CODES.has(name) ? <Code text={text} /> : <Data text={text} />;

function People({
  of,
  title,
}: {
  readonly of: readonly BusinessPerson[] | undefined;
  readonly title: string;
}): JSX.Element | null {
  const { number, t } = useI18n();
  if (of === undefined || of.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <Table
        caption={title}
        heads={[
          t('name'),
          t('colRole'),
          t('field_dob'),
          t('field_nationality'),
          [t('colShare'), 'number'],
        ]}
      >
        {of.map((one, at) => (
          <tr key={at}>
            <th scope="row">
              <Data text={one.name} />
            </th>
            <td>{one.role === undefined ? '–' : <Data text={one.role} />}</td>
            <td>{one.dob === undefined ? '–' : <Code text={one.dob} />}</td>
            <td>{one.nationality === undefined ? '–' : <Code text={one.nationality} />}</td>
            <td class="number">{one.share === undefined ? '–' : `${number(one.share)} %`}</td>
          </tr>
        ))}
      </Table>
    </>
  );
}
