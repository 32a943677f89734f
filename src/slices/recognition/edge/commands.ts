/** `document inspect`: what a file is, as an upload would be judged. */

import { systemClock } from '#platform/clock';
import { findMrz, inspectMedia, type MrzReading } from '#slices/recognition';
import { EXIT } from '../../../cli/command.ts';
import { readSmallFile } from '../../../cli/files.ts';
import type { SliceCommand } from '../../processes.ts';

export const commands: readonly SliceCommand[] = [
  {
    words: 'document inspect',
    summary: 'Say what a file is, and whether it would be taken as a document',
    options: [{ name: 'file', value: 'F', required: true, help: 'JPEG, PNG or PDF' }],
    example: 'document inspect --file passport.jpg',
    async run({ output }, given) {
      const media = await inspectMedia(await readSmallFile(given.value('file')));
      const { height, mediaType, pages, width } = media;
      const size = width === undefined ? '' : `, ${width} × ${height} pixels`;
      output.result(
        { media_type: mediaType, pages, ...(width !== undefined && { height, width }) },
        `${mediaType}, ${pages === 1 ? '1 page' : `${pages} pages`}${size}`,
      );
      return EXIT.done;
    },
  },
  {
    words: 'document mrz',
    summary: 'Read a machine-readable zone, and say which of its digits hold',
    options: [
      { name: 'file', value: 'F', required: true, help: 'text with the lines of the zone' },
    ],
    example: 'document mrz --file zone.txt',
    async run({ output }, given) {
      const text = (await readSmallFile(given.value('file'))).toString('utf8');
      const read = findMrz(text, { today: new Date(systemClock.now()).toISOString().slice(0, 10) });
      output.result({ mrz: read ?? null }, read === undefined ? 'no zone was found' : words(read));
      return read?.isValid === true ? EXIT.done : EXIT.bad;
    },
  },
];

const words = ({ digits, fields, format, isValid, repaired }: MrzReading): string =>
  [
    `format    ${format}`,
    `valid     ${isValid ? 'yes' : 'no'}`,
    `digits    ${Object.entries(digits)
      .filter(([, holds]) => holds !== null)
      .map(([name, holds]) => `${name} ${holds === true ? 'holds' : 'does not hold'}`)
      .join(', ')}`,
    `repaired  ${repaired.length}`,
    ...Object.entries(fields).map(([name, value]) => `${name.padEnd(16)}${value}`),
  ].join('\n');
