/** Notices as people read them without mail: pages, latest first, and one with its messages. */
import { DomainError, type Tables, type TenantId } from '#core/kernel';
import { type Notice, type NoticeMessage, noticeMessageTable, noticeTable } from './tables.ts';

/** Which notices. */
export interface NoticesAsk {
  readonly tenantId: TenantId;
  /** What is for operations, too. */
  readonly isOperator: boolean;
  /** Continues behind this notice. */
  readonly after?: string;
  readonly limit: number;
}

/** A page; `next` is absent on the last one. */
export interface NoticesPage {
  readonly notices: readonly Notice[];
  readonly next?: string;
}

type ReadPorts = { readonly tables: Pick<Tables, 'find' | 'page'> };

/** Messages of one notice: readers of one tenant and of operations. */
const MESSAGES_MAX = 1_000;

export async function readNotices({ tables }: ReadPorts, ask: NoticesAsk): Promise<NoticesPage> {
  const { after, isOperator, limit, tenantId } = ask;
  const audience = 'tenant';
  const key = [tenantId, after ?? ''];
  const { records } = await tables.page(noticeTable, {
    direction: 'descending',
    equal: isOperator ? { tenantId } : { audience, tenantId },
    index: isOperator ? 'key' : 'byAudience',
    // One more than the limit is looked for, so that the last page is known to be the last.
    limit: limit + 1,
    ...(after !== undefined && { after: isOperator ? key : [after, ...key] }),
  });
  const notices = records.slice(0, limit);
  const last = notices.at(-1);
  return { notices, ...(records.length > limit && last && { next: last.noticeId }) };
}

/** Throws `notification-unknown`. */
export async function readNotice(
  { tables }: ReadPorts,
  ask: Pick<NoticesAsk, 'isOperator' | 'tenantId'> & Pick<Notice, 'noticeId'>,
): Promise<{ readonly notice: Notice; readonly messages: readonly NoticeMessage[] }> {
  const { isOperator, noticeId, tenantId } = ask;
  const notice = await tables.find(noticeTable, { noticeId, tenantId });
  if (notice === undefined || !(isOperator || notice.audience === 'tenant')) {
    throw new DomainError('notification-unknown');
  }
  const { records: messages } = await tables.page(noticeMessageTable, {
    equal: { noticeId, tenantId },
    index: 'byNotice',
    limit: MESSAGES_MAX,
  });
  return { messages, notice };
}
