/** Notifications over HTTP: what people were told, also where no mail is sent. */
import { PAGE_LIMIT_DEFAULT } from '#platform/limits';
import { listSettings } from '#slices/ingestion';
import { readNotice, readNotices } from '#slices/notifications';
import type { CursorCodec } from '../../../api/cursor.ts';
import type { Operation, OperationContext } from '../../../api/operation.ts';
import type { GatewayProcess } from '../../processes.ts';
import { roles } from '../roles.ts';
import { presentMessage, presentNotice } from './presentation.ts';
import {
  type NoticeAsked,
  NoticeQuery,
  NoticeResult,
  type NoticesAsked,
  NoticesPageResult,
  NoticesQuery,
} from './schemas.ts';

export interface NoticeRouteOptions {
  readonly cursors: CursorCodec;
  readonly tables: () => GatewayProcess['storage']['tables'];
  /** Whether the caller's tenant is the operator of the installation, or one of its house. */
  readonly isOperator: (context: OperationContext) => Promise<boolean>;
}

export function operations(process: GatewayProcess): readonly Operation[] {
  return noticeOperations({
    cursors: process.cursors,
    async isOperator({ tenantId }) {
      if (process.config.deploymentMode !== 'managed') return true;
      return (await process.tenants.settings(tenantId)).of(listSettings).isOperator;
    },
    tables: () => process.storage.tables,
  });
}

const READING = {
  bodyBytesMax: 0,
  idempotency: 'none',
  limits: 'general',
  method: 'GET',
  roles: roles.read,
  scope: 'notifications:read',
  tag: 'Operations',
} as const;

export const noticeOperations = (options: NoticeRouteOptions): Operation[] => [
  {
    ...READING,
    id: 'listNotifications',
    path: '/v1/notifications',
    summary: 'What people were told, latest first',
    description:
      'The same as their mail says, kept for 90 days; also where no mail is configured. What is ' +
      'for operations alone is shown on premises, and to tenants that operate the installation.',
    query: NoticesQuery,
    responses: { 200: { description: 'A page of notifications', schema: NoticesPageResult } },
    handle: (context) => list(options, context),
  },
  {
    ...READING,
    id: 'getNotification',
    path: '/v1/notifications/{notification_id}',
    summary: 'One notification, with what became of its messages',
    problems: ['notification-unknown'],
    query: NoticeQuery,
    responses: { 200: { description: 'The notification', schema: NoticeResult } },
    handle: (context) => get(options, context),
  },
];

async function list(options: NoticeRouteOptions, context: OperationContext) {
  const { tenantId } = context;
  const query = context.query as unknown as NoticesAsked;
  const { cursor, lang = 'en', limit = PAGE_LIMIT_DEFAULT } = query;
  const scope = { filters: {}, list: 'listNotifications', tenantId };
  const position = cursor === undefined ? undefined : options.cursors.decode(scope, cursor);
  const { next, notices } = await readNotices(
    { tables: options.tables() },
    {
      isOperator: await options.isOperator(context),
      limit,
      tenantId,
      ...(position !== undefined && { after: position.id }),
    },
  );
  const behind = next === undefined ? null : options.cursors.encode(scope, { id: next, key: next });
  const data = notices.map((notice) => presentNotice(notice, lang));
  return { body: { data, next_cursor: behind }, status: 200 };
}

async function get(options: NoticeRouteOptions, context: OperationContext) {
  const { params, tenantId } = context;
  const { lang = 'en' } = context.query as unknown as NoticeAsked;
  const { messages, notice } = await readNotice(
    { tables: options.tables() },
    {
      isOperator: await options.isOperator(context),
      noticeId: params.notification_id ?? '',
      tenantId,
    },
  );
  const body = { ...presentNotice(notice, lang), messages: messages.map(presentMessage) };
  return { body, status: 200 };
}
