/** `dsar flags`: what a subject has restricted or opposed. */
import type { Actor } from '#core/audit';
import type { TenantId } from '#core/kernel';
import { changeFlags, privacyPartsOf, signedPrivacyOf } from '#slices/privacy';
import { EXIT, type Given } from '../../../cli/command.ts';
import type { CliProcess, SliceCommand } from '../../processes.ts';
import { actingFor, PERSON, TENANT, wordOf } from './commandParts.ts';
import { presentFlags } from './presentation.ts';

export const flagCommand: SliceCommand = {
  example: 'dsar flags --restricted yes --reason "Letter of 12 January" --tenant 0190… C-1042',
  options: [
    TENANT,
    { help: 'yes or no: stops processing that is not essential', name: 'restricted', value: 'W' },
    { help: 'yes or no: stops processing for interest', name: 'opposed', value: 'W' },
    { help: 'why, 10 characters or more; without it flags are shown', name: 'reason', value: 'T' },
    PERSON,
  ],
  positionals: [{ help: 'your own id of the subject', name: 'SUBJECT' }],
  async run({ actor, open, output }, given) {
    const process = await open();
    const subjectRef = given.positionals[0] ?? '';
    const flag = await flagsBy(process, { actor, given, subjectRef });
    const shown = presentFlags(subjectRef, flag);
    const { opposed, processing_restricted: restricted } = shown.subject;
    output.result(shown, `${subjectRef}: restricted ${restricted}, opposed ${opposed}`);
    return EXIT.done;
  },
  summary: 'Show, or change, what a subject has restricted or opposed',
  words: 'dsar flags',
};

async function flagsBy(
  process: CliProcess,
  of: { readonly actor: Actor; readonly given: Given; readonly subjectRef: string },
) {
  const { actor, given, subjectRef } = of;
  const yes = (name: string) => {
    const word = wordOf(name, ['yes', 'no'] as const, given.optional(name));
    return word === undefined ? undefined : word === 'yes';
  };
  const [opposed, processingRestricted] = [yes('opposed'), yes('restricted')];
  if (opposed === undefined && processingRestricted === undefined) {
    const tenantId = given.value('tenant') as TenantId;
    return signedPrivacyOf(process).flagOf({ subjectRef, tenantId });
  }
  return changeFlags(privacyPartsOf(process), {
    by: await actingFor(process, given, actor),
    reason: given.optional('reason') ?? '',
    subjectRef,
    ...(opposed !== undefined && { opposed }),
    ...(processingRestricted !== undefined && { processingRestricted }),
  });
}
