/** Screenings, latest first, with the state of the chain behind the page that is shown. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { get } from '../http.ts';
import { useI18n } from '../i18n/index.ts';
import { useLoad } from '../load.ts';
import { Data, Score, Time } from '../parts/data.tsx';
import { Choice } from '../parts/fields.tsx';
import { PageFrame, Ready } from '../parts/frame.tsx';
import { Table } from '../parts/table.tsx';
import { DECISIONS, Decision, Status, useWords } from '../parts/words.tsx';
import { routeTo } from '../router.ts';
import { may, useCaller } from '../session.ts';
import type { Chain, ScreeningsPage as PageOfScreenings, Screening } from '../types.ts';

const PAGE_ROWS = 50;

export function ScreeningsPage(): JSX.Element {
  const { t } = useI18n();
  const words = useWords();
  const [decision, setDecision] = useState('');
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const cursor = cursors.at(-1);
  const page = useLoad(`${decision}/${cursor ?? ''}`, (signal) =>
    get<PageOfScreenings>(
      '/v1/sanctions/screenings',
      { cursor, decision, limit: PAGE_ROWS },
      signal,
    ),
  );
  return (
    <PageFrame title={t('screeningsTitle')}>
      <form aria-label={t('filters')} class="filters">
        <Choice
          choices={[['', t('all')], ...DECISIONS.map((one) => [one, words.decision(one)] as const)]}
          label={t('verdict')}
          onChange={(one) => {
            setCursors([]);
            setDecision(one);
          }}
          value={decision}
        />
      </form>
      <Ready of={page}>
        {({ chain, data, next_cursor }) => (
          <>
            <ChainBanner of={chain} />
            {data.length === 0 ? <p>{t('nothingFound')}</p> : <Rows of={data} />}
            {next_cursor === null ? null : (
              <button onClick={() => setCursors([...cursors, next_cursor])} type="button">
                {t('more')}
              </button>
            )}
          </>
        )}
      </Ready>
    </PageFrame>
  );
}

/** As interface.md 4.8 asks: what is shown was verified, and a break is said with its event. */
function ChainBanner({ of }: { readonly of: Chain }): JSX.Element {
  const { t } = useI18n();
  const isBroken = of.status === 'broken' || of.breaks.length > 0;
  const seq = of.first_bad_seq ?? of.breaks[0]?.seq ?? '?';
  return isBroken ? (
    <div class="notice bad" role="alert">
      <p>
        <span aria-hidden="true">⚠ </span>
        {t('chainBroken', { seq })}
      </p>
    </div>
  ) : (
    <p class="muted">
      <span aria-hidden="true">✓ </span>
      {t('chainGood')}
    </p>
  );
}

function Rows({ of }: { readonly of: readonly Screening[] }): JSX.Element {
  const { t } = useI18n();
  const caller = useCaller();
  return (
    <Table
      caption={t('screeningsTitle')}
      heads={[
        t('colTime'),
        t('colSubject'),
        t('colVerdict'),
        [t('colHits'), 'number'],
        t('listedParty'),
        [t('colScore'), 'number'],
        t('colReview'),
      ]}
    >
      {of.map((one) => (
        <tr key={one.screening_id}>
          <td>
            <Time at={one.occurred_at} />
          </td>
          <td>
            {may(caller, 'evidence') ? (
              <a href={routeTo('screenings', one.screening_id)}>
                <Name of={one} />
              </a>
            ) : (
              <Name of={one} />
            )}
          </td>
          <td>
            <Decision of={one.decision} />
          </td>
          <td class="number">{one.hits_count ?? '–'}</td>
          <td>{one.top_hit === null ? '–' : <Data text={one.top_hit.primary_name} />}</td>
          <td class="number">
            {one.top_hit === null ? '–' : <Score value={one.top_hit.directScore} />}
          </td>
          <td>{one.review_status === null ? '–' : <Status of={one.review_status} />}</td>
        </tr>
      ))}
    </Table>
  );
}

function Name({ of }: { readonly of: Screening }): JSX.Element {
  const { t } = useI18n();
  return <Data text={of.subject?.erased === true ? t('erased') : of.subject?.name} />;
}
