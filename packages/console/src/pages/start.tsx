/** The first page: what waits for the person, and the first steps in a sandbox. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { EXAMPLES } from '../examples.ts';
import { change, get } from '../http.ts';
import { useI18n } from '../i18n/index.ts';
import { useLoad } from '../load.ts';
import { Failure, PageFrame, Ready } from '../parts/frame.tsx';
import { useToast } from '../parts/toast.tsx';
import { routeTo } from '../router.ts';
import { may, useCaller } from '../session.ts';
import type { AlertsPage, Approval, ListInForce, Page } from '../types.ts';

const COUNTED_MAX = 100;
const DAY_S = 86_400;

interface Figure {
  readonly count: number;
  readonly isMore: boolean;
}

const counted = ({ data, next_cursor }: Page<unknown>): Figure => ({
  count: data.length,
  isMore: next_cursor !== null,
});

export function StartPage(): JSX.Element {
  const { t } = useI18n();
  const caller = useCaller();
  return (
    <PageFrame title={t('startTitle')}>
      <div class="cards">
        {may(caller, 'readAlerts') ? <AlertFigures /> : null}
        {may(caller, 'approve') ? <ApprovalFigure /> : null}
        {may(caller, 'readLists') ? <ListFigure /> : null}
      </div>
      {caller.tenant.kind === 'sandbox' ? <FirstSteps /> : null}
    </PageFrame>
  );
}

function Card({
  figure,
  href,
  title,
}: {
  readonly figure: Figure;
  readonly href: string;
  readonly title: string;
}): JSX.Element {
  const { number } = useI18n();
  return (
    <a class="card" href={href}>
      <span class="figure">
        {number(figure.count)}
        {figure.isMore ? '+' : ''}
      </span>
      <span>{title}</span>
    </a>
  );
}

function AlertFigures(): JSX.Element {
  const { t } = useI18n();
  const alerts = (query: Record<string, string>) => async (signal: AbortSignal) =>
    counted(await get<AlertsPage>('/v1/aml/alerts', { ...query, limit: COUNTED_MAX }, signal));
  const open = useLoad('open', alerts({ status: 'open' }));
  const mine = useLoad('mine', alerts({ assignee: 'me', status: 'assigned' }));
  const late = useLoad('late', alerts({ sla: 'breached' }));
  return (
    <>
      <Ready of={open}>
        {(figure) => (
          <Card
            figure={figure}
            href={routeTo('alerts', undefined, { status: 'open' })}
            title={t('startOpen')}
          />
        )}
      </Ready>
      <Ready of={mine}>
        {(figure) => (
          <Card
            figure={figure}
            href={routeTo('alerts', undefined, { assignee: 'me', status: 'assigned' })}
            title={t('startMine')}
          />
        )}
      </Ready>
      <Ready of={late}>
        {(figure) => (
          <Card
            figure={figure}
            href={routeTo('alerts', undefined, { sla: 'breached' })}
            title={t('startOverdue')}
          />
        )}
      </Ready>
    </>
  );
}

function ApprovalFigure(): JSX.Element {
  const { t } = useI18n();
  const open = useLoad('approvals', async (signal) =>
    counted(
      await get<Page<Approval>>(
        '/v1/approvals',
        { limit: COUNTED_MAX, mine: false, state: 'open' },
        signal,
      ),
    ),
  );
  return (
    <Ready of={open}>
      {(figure) => <Card figure={figure} href={routeTo('approvals')} title={t('startApprovals')} />}
    </Ready>
  );
}

function ListFigure(): JSX.Element {
  const { plural, t } = useI18n();
  const lists = useLoad('lists', (signal) =>
    get<Page<ListInForce>>('/v1/sanctions/lists', {}, signal),
  );
  return (
    <Ready of={lists}>
      {({ data }) => {
        const oldest = Math.max(0, ...data.map(({ age_s }) => age_s));
        return (
          <a class="card" href={routeTo('lists')}>
            <span class="figure">{data.length}</span>
            <span>{t('startLists')}</span>
            <span class="muted">
              {t('startOldest')}: {plural('daysOld', Math.floor(oldest / DAY_S))}
            </span>
          </a>
        );
      }}
    </Ready>
  );
}

function FirstSteps(): JSX.Element {
  const { t } = useI18n();
  const caller = useCaller();
  return (
    <section aria-labelledby="first-steps">
      <h2 id="first-steps">{t('startSteps')}</h2>
      <ol class="steps">
        <li>
          <a href={routeTo('screen')}>{t('startStepScreen')}</a>
        </li>
        <li>
          <a href={routeTo('alerts')}>{t('startStepTriage')}</a>
        </li>
        <li>
          <a href={routeTo('screenings')}>{t('startStepEvidence')}</a>
        </li>
      </ol>
      {may(caller, 'screen') ? <Examples /> : null}
    </section>
  );
}

/** Something to look at, for who has no customers here. */
function Examples(): JSX.Element {
  const { t } = useI18n();
  const toast = useToast();
  const [done, setDone] = useState<number>();
  const [error, setError] = useState<unknown>();
  const screenAll = async (): Promise<void> => {
    setError(undefined);
    try {
      for (const [at, one] of EXAMPLES.entries()) {
        setDone(at);
        await change('POST', '/v1/sanctions/screen', one);
      }
      toast(t('examplesDone'));
    } catch (failure) {
      setError(failure);
    } finally {
      setDone(undefined);
    }
  };
  return (
    <>
      <button disabled={done !== undefined} onClick={screenAll} type="button">
        {t('startExamples')}
      </button>
      {done === undefined ? null : (
        <progress aria-label={t('startExamples')} max={EXAMPLES.length} value={done} />
      )}
      {error === undefined ? null : <Failure error={error} />}
    </>
  );
}
