/** Noun `dsar` of the command line, and what `doctor` looks at. */
import { signedPrivacyOf } from '#slices/privacy';
import type { SliceCheck, SliceCommand } from '../../processes.ts';
import { erasureCommands } from './erasureCommands.ts';
import { flagCommand } from './flagCommand.ts';
import { rectifyCommands } from './rectifyCommands.ts';
import { requestCommands } from './requestCommands.ts';

const TOLD_MAX = 10;

/** Whether requests and flags are what their last signed entries made them. */
export const checks: readonly SliceCheck[] = [
  {
    isOfState: true,
    name: 'privacy',
    async look(process) {
      const refusals: string[] = [];
      let count = 0;
      for (const { id } of await process.identity.listTenants()) {
        const found = await signedPrivacyOf(process).check(id);
        count += found.count;
        refusals.push(...found.refusals);
      }
      if (refusals.length === 0) return `${count} privacy requests and flags are what was signed`;
      const more = refusals.length > TOLD_MAX ? `; and ${refusals.length - TOLD_MAX} more` : '';
      throw new Error(refusals.slice(0, TOLD_MAX).join('; ') + more);
    },
  },
];

export const commands: readonly SliceCommand[] = [
  ...requestCommands,
  ...erasureCommands,
  flagCommand,
  ...rectifyCommands,
];
