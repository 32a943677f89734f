/** What became of a case: its last decision, and its entries in the chain for who may read them. */
import type { JSX } from 'preact';
import { get } from '../../http.ts';
import { useLoad } from '../../load.ts';
import { Code, Time } from '../../parts/data.tsx';
import { Ready } from '../../parts/frame.tsx';
import { Table } from '../../parts/table.tsx';
import { Who } from '../../parts/who.tsx';
import { may, useCaller } from '../../session.ts';
import type { Page, TrailEntry } from '../../types.ts';
import { useI18n } from './i18n.ts';
import type { Case, CaseDecision } from './types.ts';

const ENTRIES_MAX = 50;

export function CaseHistory({ of }: { readonly of: Case }): JSX.Element {
  const { t } = useI18n();
  const caller = useCaller();
  return (
    <section aria-labelledby="history">
      <h2 id="history">{t('history')}</h2>
      <p>
        {t('historyOpened')} <Who actor={of.created_by} /> · <Time at={of.created_at} />
      </p>
      {of.decision === null ? null : <Said of={of.decision} />}
      {of.rounds === 0 ? null : <p>{t('round', { count: of.rounds })}</p>}
      {may(caller, 'evidence') ? <Entries of={of} /> : null}
    </section>
  );
}

export function Said({ of }: { readonly of: CaseDecision }): JSX.Element {
  const { t } = useI18n();
  return (
    <p>
      {t('lastDecision')}: <strong>{t(`say_${of.decision}`)}</strong> ·{' '}
      <Code text={of.reason_code} /> ·{' '}
      {of.mode === 'automatic' ? t('byMachine') : <Who actor={of.decided_by} />}
      {of.confirmed_by === null ? null : (
        <>
          , {t('confirmedBy')} <Who actor={of.confirmed_by} />
        </>
      )}{' '}
      · <Time at={of.decided_at} />
    </p>
  );
}

function Entries({ of }: { readonly of: Case }): JSX.Element {
  const { t } = useI18n();
  const target = `case:${of.case_id}`;
  const page = useLoad(`${target}/${of.version}`, (signal) =>
    get<Page<TrailEntry>>(
      '/v1/audit/events',
      { limit: ENTRIES_MAX, order: 'desc', target },
      signal,
    ),
  );
  return (
    <Ready of={page}>
      {({ data }) => (
        <Table
          caption={t('history')}
          heads={[t('colTime'), t('colAction'), t('colActor'), [t('colSeq'), 'number']]}
        >
          {data.map((entry) => (
            <tr key={entry.event_id}>
              <td>
                <Time at={entry.timestamp} />
              </td>
              <td>
                <Code text={entry.action} />
              </td>
              <td>{entry.actor === null ? '–' : <Who actor={entry.actor} />}</td>
              <td class="number">{entry.seq}</td>
            </tr>
          ))}
        </Table>
      )}
    </Ready>
  );
}
