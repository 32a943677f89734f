/** One alert: who was screened and who is listed side by side, and what a person decides of it. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { get } from '../http.ts';
import { useI18n } from '../i18n/index.ts';
import { useKeys } from '../keys.ts';
import { type Loaded, useLoad } from '../load.ts';
import { AlertActions } from '../parts/alertActions.tsx';
import { Code, Data, Score, Time } from '../parts/data.tsx';
import { PageFrame, Ready } from '../parts/frame.tsx';
import { SideBySide } from '../parts/sideBySide.tsx';
import { Table } from '../parts/table.tsx';
import { Alignment, Components, Terms } from '../parts/why.tsx';
import { Decision, Severity, Status, useWords } from '../parts/words.tsx';
import { nextInQueue } from '../queue.ts';
import { go, routeTo } from '../router.ts';
import { may, useCaller } from '../session.ts';
import type { AlertDetail, Outcome, ReviewedHit, ScreeningHits } from '../types.ts';

/** Causes whose hits are those of a screening. */
const SCREENED = ['screening'];

export function AlertPage({ id }: { readonly id: string }): JSX.Element {
  const { t } = useI18n();
  const alert = useLoad(id, (signal) => get<AlertDetail>(`/v1/aml/alerts/${id}`, {}, signal));
  const next = nextInQueue(id);
  useKeys({ ...(next !== undefined && { n: () => go(routeTo('alerts', next)) }) });
  return (
    <PageFrame title={t('alertTitle')}>
      <p class="ways">
        <a href={routeTo('alerts')}>{t('backToAlerts')}</a>
        {next === undefined ? null : <a href={routeTo('alerts', next)}>{t('nextAlert')}</a>}
      </p>
      <Ready of={alert}>{(detail) => <Detail alert={detail} of={alert} />}</Ready>
    </PageFrame>
  );
}

function Detail({
  alert,
  of,
}: {
  readonly alert: AlertDetail;
  readonly of: Loaded<AlertDetail>;
}): JSX.Element {
  const { t } = useI18n();
  const isScreened = SCREENED.includes(alert.subject.kind);
  const hits = useLoad(`${alert.alert_id}/${alert.subject.id}/${isScreened}`, async (signal) =>
    isScreened
      ? get<ScreeningHits>(
          `/v1/sanctions/screenings/${alert.subject.id}/hits`,
          { explain: true },
          signal,
        )
      : undefined,
  );
  const [at, setAt] = useState(0);
  const hit = hits.data?.data[at];
  return (
    <>
      <Summary alert={alert} />
      <div class="triage">
        <div>
          {isScreened ? (
            <Ready of={hits}>
              {(found) =>
                found === undefined || hit === undefined ? null : (
                  <Hit at={at} found={found} hit={hit} onAt={setAt} />
                )
              }
            </Ready>
          ) : (
            <PlainHits alert={alert} />
          )}
        </div>
        <aside aria-label={t('decision')}>
          <AlertActions alert={alert} hit={hit} key={alert.revision} onChanged={of.again} />
          <Notes alert={alert} />
        </aside>
      </div>
    </>
  );
}

function Summary({ alert }: { readonly alert: AlertDetail }): JSX.Element {
  const { t } = useI18n();
  const caller = useCaller();
  const { subject } = alert;
  const name = subject.erased ? t('erased') : subject.name;
  return (
    <div class="panel">
      <p class="headline">
        <Severity of={alert.severity} /> <Status of={alert.status} />{' '}
        <Decision of={alert.typology} />
        {alert.sla_breached ? <strong class="late"> {t('overdue')}</strong> : null}
      </p>
      <p class="headline">
        <strong>
          <Data text={name} />
        </strong>{' '}
        · {t('score')} <Score value={alert.score} /> · {t('colDue')} <Time at={alert.due_at} />
      </p>
      <p>
        {t('colAssignee')}: {alert.assignee === null ? t('none') : <Code text={alert.assignee} />}
        {subject.kind === 'screening' && may(caller, 'evidence') ? (
          <>
            {' · '}
            <a href={routeTo('screenings', subject.id)}>{t('evidenceLink')}</a>
          </>
        ) : null}
      </p>
      {alert.proposal === null ? null : (
        <Said by={t('proposalBy')} of={alert.proposal} title={t('proposed')} />
      )}
      {alert.outcome === null ? null : <Said by={t('closedBy')} of={alert.outcome} title={null} />}
    </div>
  );
}

function Said({
  by,
  of,
  title,
}: {
  readonly by: string;
  readonly of: Outcome;
  readonly title: string | null;
}): JSX.Element {
  const { t } = useI18n();
  const words = useWords();
  return (
    <div class="notice">
      {title === null ? null : <p>{title}</p>}
      <p>
        {words.status(of.status)} · {by} <Code text={of.by} />
        {of.confirmed_by === null ? null : (
          <>
            , {t('confirmedBy')} <Code text={of.confirmed_by} />
          </>
        )}{' '}
        · <Time at={of.at} />
      </p>
      <p>
        <Data text={of.comment} />
      </p>
    </div>
  );
}

function Hit({
  at,
  found,
  hit,
  onAt,
}: {
  readonly at: number;
  readonly found: ScreeningHits;
  readonly hit: ReviewedHit;
  readonly onAt: (at: number) => void;
}): JSX.Element {
  const { t } = useI18n();
  const total = found.data.length;
  return (
    <>
      {total === 1 ? null : (
        <div class="ways">
          <button disabled={at === 0} onClick={() => onAt(at - 1)} type="button">
            {t('earlierHit')}
          </button>
          <span>{t('hitOf', { at: at + 1, total })}</span>
          <button disabled={at === total - 1} onClick={() => onAt(at + 1)} type="button">
            {t('laterHit')}
          </button>
        </div>
      )}
      <SideBySide hit={hit} subject={found.subject} />
      {hit.explanation == null ? null : <Alignment of={hit.explanation} />}
      <details>
        <summary>{t('components')}</summary>
        <div class="why">
          <Components hit={hit} />
          {hit.explanation == null ? null : <Terms of={hit.explanation} />}
        </div>
      </details>
    </>
  );
}

/** Hits whose parts stand elsewhere: of a batch, and of payments. */
function PlainHits({ alert }: { readonly alert: AlertDetail }): JSX.Element {
  const { t } = useI18n();
  return (
    <Table
      caption={t('listedParty')}
      heads={[
        t('listedParty'),
        t('name'),
        t('colTypology'),
        t('colSource'),
        [t('score'), 'number'],
      ]}
    >
      {alert.hits.map((hit) => (
        <tr key={hit.ftm_id}>
          <th scope="row">
            <Data text={hit.primary_name} />
          </th>
          <td>
            <Data text={hit.matched_name} />
          </td>
          <td>
            <Decision of={hit.typology} />
          </td>
          <td>
            <Data text={hit.source} />
          </td>
          <td class="number">
            <Score value={hit.score} />
          </td>
        </tr>
      ))}
    </Table>
  );
}

function Notes({ alert }: { readonly alert: AlertDetail }): JSX.Element | null {
  const { t } = useI18n();
  if (alert.notes.length === 0) return null;
  return (
    <section aria-labelledby="notes">
      <h2 id="notes">{t('notes')}</h2>
      <ul class="plain">
        {alert.notes.map((note) => (
          <li class="panel" key={note.note_id}>
            <p>
              <Code text={note.by} /> · <Time at={note.at} />
            </p>
            <p>
              <Data text={note.text} />
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}
