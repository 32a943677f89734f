/** What gateway, worker and command line share of notifications. */
import type { NoticePorts } from '#slices/notifications';
import type { SliceProcess } from '../../processes.ts';

/** The rules' ports; `wake` tells whoever sends in this process or another. */
export function noticePortsOf(process: SliceProcess, wake: () => void): NoticePorts {
  const { clock, commit, config, identity, random, storage } = process;
  const { hookUrl, locale, mails } = config.notices.operations;
  return {
    clock,
    commit,
    operations: { hasHook: hookUrl !== undefined, locale, mails },
    personsOf: (tenantId) => identity.listPersons(tenantId),
    random,
    tables: storage.tables,
    wake,
  };
}
