/** The evidence of one screening as it stands in the chain, and its replay. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { change, get } from '../http.ts';
import { useI18n } from '../i18n/index.ts';
import { useLoad } from '../load.ts';
import { Code, Json, Time } from '../parts/data.tsx';
import { Failure, PageFrame, Ready } from '../parts/frame.tsx';
import { may, useCaller } from '../session.ts';
import type { Evidence, Replay } from '../types.ts';

const LOOK_EVERY_MS = 1_000;

export function ScreeningPage({ id }: { readonly id: string }): JSX.Element {
  const { t } = useI18n();
  const caller = useCaller();
  const evidence = useLoad(id, (signal) =>
    get<Evidence>(`/v1/sanctions/screenings/${id}/audit`, {}, signal),
  );
  return (
    <PageFrame title={t('screeningTitle')}>
      <p>
        <Code text={id} />
      </p>
      {may(caller, 'replay') ? <Replaying id={id} /> : null}
      <Ready of={evidence}>
        {({ checkpoint, event }) => (
          <>
            <dl class="panel facts">
              <dt>{t('event')}</dt>
              <dd>
                <Code text={`${event.seq} · ${event.event_id}`} />
              </dd>
              <dt>{t('colTime')}</dt>
              <dd>
                <Time at={String(event.occurred_at)} />
              </dd>
              <dt>SHA-256</dt>
              <dd>
                <Code text={String(event.hash)} />
              </dd>
              <dt>{t('checkpoint')}</dt>
              <dd>
                {checkpoint === null ? t('noCheckpoint') : <Code text={String(checkpoint.seq)} />}
              </dd>
            </dl>
            <h2>{t('eventText')}</h2>
            <Json label={t('eventText')} value={event} />
          </>
        )}
      </Ready>
    </PageFrame>
  );
}

function Replaying({ id }: { readonly id: string }): JSX.Element {
  const { t } = useI18n();
  const [replay, setReplay] = useState<Replay>();
  const [error, setError] = useState<unknown>();
  const path = `/v1/sanctions/screenings/${id}/replay`;
  const isRunning = replay?.status === 'queued' || replay?.status === 'running';
  useEffect(() => {
    if (!isRunning || replay === undefined) return;
    const timer = setTimeout(() => {
      get<Replay>(`${path}s/${replay.replay_id}`).then(setReplay, setError);
    }, LOOK_EVERY_MS);
    return () => clearTimeout(timer);
  }, [replay]);
  const begin = (): void => {
    setError(undefined);
    change<Replay>('POST', path).then(setReplay, setError);
  };
  return (
    <div class="actions">
      <button disabled={isRunning} onClick={begin} type="button">
        {t('replay')}
      </button>
      <p aria-live="polite">
        <ReplayWords of={replay} />
      </p>
      {error === undefined ? null : <Failure error={error} />}
    </div>
  );
}

function ReplayWords({ of }: { readonly of: Replay | undefined }): JSX.Element | null {
  const { t } = useI18n();
  switch (of?.status) {
    case undefined:
      return null;
    case 'queued':
    case 'running':
      return <>{t('replayRunning')}</>;
    case 'identical':
      return <>{t('replaySame')}</>;
    case 'different':
      return <strong>{t('replayDifferent')}</strong>;
    default:
      return (
        <>
          {t('replayImpossible')} <Code text={of?.reason ?? of?.status ?? ''} />
        </>
      );
  }
}
