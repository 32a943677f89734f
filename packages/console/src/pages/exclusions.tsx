/** Who was decided not to be which listed party: approved by a second person, and revoked. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { change, get } from '../http.ts';
import { type MessageKey, useI18n } from '../i18n/index.ts';
import { useLoad } from '../load.ts';
import { useAttempt } from '../parts/attempt.tsx';
import { Code, Data, Time } from '../parts/data.tsx';
import { Choice } from '../parts/fields.tsx';
import { PageFrame, Ready } from '../parts/frame.tsx';
import { REASONS } from '../parts/reasons.ts';
import { Table } from '../parts/table.tsx';
import { may, useCaller } from '../session.ts';
import type { Exclusion, Page } from '../types.ts';

const STATUSES: Readonly<Record<string, MessageKey>> = {
  active: 'exclusionActive',
  ended_on_change: 'exclusionEnded',
  expired: 'exclusionExpired',
  proposed: 'exclusionProposed',
  revoked: 'exclusionRevoked',
};
const PATH = '/v1/sanctions/exclusions';

export function ExclusionsPage(): JSX.Element {
  const { t } = useI18n();
  const [status, setStatus] = useState('');
  const page = useLoad(status, (signal) => get<Page<Exclusion>>(PATH, { status }, signal));
  return (
    <PageFrame title={t('exclusionsTitle')}>
      <form aria-label={t('filters')} class="filters">
        <Choice
          choices={[
            ['', t('all')],
            ...Object.entries(STATUSES).map(([one, key]) => [one, t(key)] as const),
          ]}
          label={t('filterStatus')}
          onChange={setStatus}
          value={status}
        />
      </form>
      <Ready of={page}>
        {({ data }) =>
          data.length === 0 ? <p>{t('nothingHere')}</p> : <Rows of={data} onChanged={page.again} />
        }
      </Ready>
    </PageFrame>
  );
}

function Rows({
  of,
  onChanged,
}: {
  readonly of: readonly Exclusion[];
  readonly onChanged: () => void;
}): JSX.Element {
  const { number, t } = useI18n();
  const caller = useCaller();
  const { attempt, failure, isBusy } = useAttempt();
  const send = (method: 'DELETE' | 'POST', path: string, done: MessageKey): void =>
    attempt(async () => {
      await change(method, `${PATH}/${path}`);
      onChanged();
      return t(done);
    });
  const isOwn = ({ created_by }: Exclusion): boolean => created_by === caller.person.actor;
  const isOpen = ({ status }: Exclusion): boolean => ['active', 'proposed'].includes(status);
  return (
    <>
      {failure}
      <Table
        caption={t('exclusionsTitle')}
        heads={[
          t('listedParty'),
          t('filterStatus'),
          t('reason'),
          t('author'),
          t('colEnds'),
          [t('colApplied'), 'number'],
          t('colDone'),
        ]}
      >
        {of.map((one) => (
          <tr key={one.exclusion_id}>
            <th scope="row">
              <Code text={`${one.source} ${one.ftm_id}`} />
            </th>
            <td>{t(STATUSES[one.status] ?? 'unknown')}</td>
            <td>
              {t(REASONS.find((code) => code === one.reason_code) ?? 'other')}
              <br />
              <Data text={one.reason} />
            </td>
            <td>
              <Code text={one.created_by} />
            </td>
            <td>
              <Time at={one.expires_at} />
            </td>
            <td class="number">{number(one.applied_count)}</td>
            <td>
              {may(caller, 'exclude') && one.status === 'proposed' && !isOwn(one) ? (
                <button
                  disabled={isBusy}
                  onClick={() => send('POST', `${one.exclusion_id}/approve`, 'approved')}
                  type="button"
                >
                  {t('approve')}
                </button>
              ) : null}
              {may(caller, 'exclude') && isOpen(one) ? (
                <button
                  disabled={isBusy}
                  onClick={() => send('DELETE', one.exclusion_id, 'revoked')}
                  type="button"
                >
                  {t('revoke')}
                </button>
              ) : null}
            </td>
          </tr>
        ))}
      </Table>
    </>
  );
}
