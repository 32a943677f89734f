/** Where the messages of a declaration are: deposits, receipts, answers, and their files. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { change, download } from '../../http.ts';
import { useAttempt } from '../../parts/attempt.tsx';
import { CommentDialog } from '../../parts/commentDialog.tsx';
import { Code, Time } from '../../parts/data.tsx';
import { Table } from '../../parts/table.tsx';
import { may, useCaller } from '../../session.ts';
import { useI18n } from './i18n.ts';
import type { Declaration, Message } from './types.ts';

export interface MessagesProps {
  readonly of: Declaration;
  readonly onChanged: () => void;
}

export function Messages({ of, onChanged }: MessagesProps): JSX.Element | null {
  const { number, t } = useI18n();
  if (of.messages.length === 0) return null;
  return (
    <section aria-labelledby="messages">
      <h2 id="messages">{t('taxMessages')}</h2>
      <Table
        caption={t('taxMessages')}
        heads={[
          t('taxMessage'),
          [t('taxRecords'), 'number'],
          t('filterStatus'),
          t('taxDeposited'),
          t('taxReceipt'),
          t('taxAnswer'),
          [t('taxRecordErrors'), 'number'],
          t('taxFile'),
        ]}
      >
        {of.messages.map((one) => (
          <tr key={one.message_no}>
            <th scope="row">
              <Code text={one.message_ref_id} />
            </th>
            <td class="number">{number(one.record_count)}</td>
            <td>{one.status === null ? '–' : <Code text={one.status} />}</td>
            <td>
              <Time at={one.deposited_at} />
            </td>
            <td>
              <Time at={one.receipt_at} />
            </td>
            <td>{one.notification_code === null ? '–' : <Code text={one.notification_code} />}</td>
            <td class="number">{number(one.record_errors)}</td>
            <td>
              <Files message={one} of={of} onChanged={onChanged} />
            </td>
          </tr>
        ))}
      </Table>
    </section>
  );
}

function Files({
  message,
  of,
  onChanged,
}: MessagesProps & { readonly message: Message }): JSX.Element {
  const { t } = useI18n();
  const caller = useCaller();
  const { attempt, failure } = useAttempt();
  const [isNoting, setNoting] = useState(false);
  const path = `/v1/tcr/declarations/${of.declaration_id}`;
  const fetched = (what: string, fileName: string): void =>
    attempt(async () => {
      await download(`${path}/${what}`, fileName, { message: message.message_no });
      return '';
    });
  const { message_no: no, sender_file_id: file } = message;
  const isPackaged = file !== null && message.status !== 'ordered';
  return (
    <div class="actions">
      {may(caller, 'readTaxXml') ? (
        <button onClick={() => fetched('xml', `${of.reference}-${no}.xml`)} type="button">
          XML
        </button>
      ) : null}
      {isPackaged && may(caller, 'fileTax') ? (
        <button onClick={() => fetched('package', file)} type="button">
          {t('taxPackage')}
        </button>
      ) : null}
      {message.status === 'packaged' && file !== null && may(caller, 'fileTax') ? (
        <button onClick={() => setNoting(true)} type="button">
          {t('taxNoteReceipt')}
        </button>
      ) : null}
      {failure}
      {isNoting ? (
        <CommentDialog
          label={t('taxTransmission')}
          onClose={() => setNoting(false)}
          onDone={() => setNoting(false)}
          send={async (ides_transmission_id) => {
            const received_at = new Date().toISOString();
            const body = { ides_transmission_id, received_at, sender_file_id: file };
            await change('POST', `${path}/receipts`, body);
            onChanged();
          }}
          submit={t('save')}
          title={t('taxNoteReceipt')}
        />
      ) : null}
    </div>
  );
}
