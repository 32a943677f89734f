/** `list split`, `list rejoin`, `list splits`: entries of two lists that the rules took for one. */
import type { ApartPair, EntityReference } from '#slices/resolution';
import { type CommandOption, EXIT, UsageError } from '../../../cli/command.ts';
import { printable, table } from '../../../cli/output.ts';
import type { SliceCommand } from '../../processes.ts';

export { checks } from './checks.ts';

const REASON_CHARS_MAX = 500;
const REFERENCE = /^([A-Z][A-Z0-9_]{0,31}):(\S{1,200})$/;

const OPTIONS: readonly CommandOption[] = [
  { name: 'entity', value: 'SOURCE:ID', required: true, help: 'one entry, as in a hit' },
  { name: 'other', value: 'SOURCE:ID', required: true, help: 'the other one' },
  { name: 'reason', value: 'TEXT', required: true, help: 'why, for the evidence' },
];
const EXAMPLE = '--entity UN_SC:un-QDi.001 --other EU_CFSP:eu-750 --reason "Two brothers"';

export const commands: readonly SliceCommand[] = [
  change('apart', {
    summary: 'Take two entries apart that are one hit: they are two from here on',
    words: 'list split',
  }),
  change('together', {
    summary: 'Take a split back: the rules decide again',
    words: 'list rejoin',
  }),
  {
    words: 'list splits',
    summary: 'Show the entries that were taken apart',
    example: 'list splits',
    async run({ open, output }) {
      const { keyRing, storage } = await open();
      const { resolutionStore, signedResolutionStore } = await import('#slices/resolution');
      const store = resolutionStore(storage.tables);
      const signed = signedResolutionStore(store, { audit: storage.audit, keyRing });
      const found = await signed.findResolution();
      show(output, found?.apart ?? []);
      return EXIT.done;
    },
  },
];

function change(
  into: 'apart' | 'together',
  { summary, words }: Pick<SliceCommand, 'summary' | 'words'>,
): SliceCommand {
  return {
    words,
    summary,
    options: OPTIONS,
    example: `${words} ${EXAMPLE}`,
    async run({ actor, open, output }, given) {
      const [a, b] = [readReference('entity', given.value('entity')), readOther(given)];
      const reason = given.value('reason').trim();
      if (reason === '' || reason.length > REASON_CHARS_MAX) {
        throw new UsageError(`--reason: expected 1 to ${REASON_CHARS_MAX} characters`);
      }
      const process = await open();
      const { resolvedListStore, separateEntries, signedResolutions } = await import(
        '#slices/resolution'
      );
      const { audit, tables } = process.storage;
      const signed = signedResolutions({ ...process, audit });
      const ports = { ...process, lists: resolvedListStore(tables), signed };
      show(output, await separateEntries(ports, { a, actor, b, into, reason }));
      return EXIT.done;
    },
  };
}

const readOther = (given: { value(name: string): string }): EntityReference =>
  readReference('other', given.value('other'));

function readReference(option: string, text: string): EntityReference {
  const [, source, ftm_id] = REFERENCE.exec(text) ?? [];
  if (source !== undefined && ftm_id !== undefined) return { ftm_id, source };
  throw new UsageError(`--${option}: expected SOURCE:ID, as in UN_SC:un-QDi.001`);
}

function show(
  output: { result(value: object, text: string): void },
  apart: readonly ApartPair[],
): void {
  const nameOf = ({ ftm_id, source }: EntityReference) => `${source}:${ftm_id}`;
  const rows = apart.map(({ a, b }) => [nameOf(a), nameOf(b)].map(printable));
  output.result({ apart }, rows.length === 0 ? 'none' : table(['ENTITY', 'OTHER'], rows));
}
