/** A declaration for a year of an institution; corrections are made with the API. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { change } from '../../http.ts';
import { useAttempt } from '../../parts/attempt.tsx';
import { Choice } from '../../parts/fields.tsx';
import { go, routeTo } from '../../router.ts';
import { useI18n } from './i18n.ts';
import type { Declaration, Institution } from './types.ts';

const YEARS = 6;
const TYPES = ['FATCA1', 'OECD1'] as const;
const FILERS = ['601', '602', '604', '605', '606', '607', '608', '609', '610', '611'];

export function NewDeclaration({
  institutions,
  onMade,
}: {
  readonly institutions: readonly Institution[];
  readonly onMade: () => void;
}): JSX.Element | null {
  const { t } = useI18n();
  const { attempt, failure, isBusy } = useAttempt();
  const last = new Date().getFullYear() - 1;
  const [given, setGiven] = useState({
    filer_category: 'FATCA602',
    giin: '',
    nil: 'no',
    reporting_period: String(last),
    type: 'FATCA1',
  });
  const [first] = institutions;
  if (first === undefined) return null;
  const set = (part: Partial<typeof given>): void => setGiven({ ...given, ...part });
  const isFatca = given.type === 'FATCA1';
  const make = (event: Event): void => {
    event.preventDefault();
    attempt(async () => {
      const made = await change<Declaration>('POST', '/v1/tcr/declarations', {
        nil_report: given.nil === 'yes',
        reporting_fi_giin: given.giin === '' ? first.giin : given.giin,
        reporting_period: given.reporting_period,
        type: given.type,
        ...(isFatca && { filer_category: given.filer_category }),
      });
      onMade();
      go(routeTo('tax', made.declaration_id));
      return t('taxMade');
    });
  };
  const named = <Value extends string>(values: readonly Value[]) =>
    values.map((one) => [one, one] as const);
  return (
    <details>
      <summary>{t('taxNew')}</summary>
      <form class="fields panel" onSubmit={make}>
        <Choice
          choices={institutions.map(({ giin, name }) => [giin, `${name} · ${giin}`] as const)}
          label={t('taxInstitution')}
          onChange={(giin) => set({ giin })}
          value={given.giin === '' ? first.giin : given.giin}
        />
        <Choice
          choices={named(Array.from({ length: YEARS }, (_, at) => String(last - at)))}
          label={t('taxYear')}
          onChange={(reporting_period) => set({ reporting_period })}
          value={given.reporting_period}
        />
        <Choice
          choices={named(TYPES)}
          label={t('taxType')}
          onChange={(type) => set({ type })}
          value={given.type}
        />
        {isFatca ? (
          <Choice
            choices={named(FILERS.map((one) => `FATCA${one}`))}
            label={t('taxFiler')}
            onChange={(filer_category) => set({ filer_category })}
            value={given.filer_category}
          />
        ) : null}
        <Choice
          choices={[
            ['no', t('no')],
            ['yes', t('yes')],
          ]}
          label={t('taxNil')}
          onChange={(nil) => set({ nil })}
          value={given.nil}
        />
        {failure}
        <div class="actions">
          <button class="primary" disabled={isBusy} type="submit">
            {t('taxNew')}
          </button>
        </div>
      </form>
    </details>
  );
}
