/**
 * `document …`: what a file is and says, as an upload would be judged and read; and what `doctor`
 * says of the readers and the scanner.
 */

import { systemClock } from '#platform/clock';
import {
  findMrz,
  inspectMedia,
  type MrzReading,
  openRecogniser,
  openScanner,
} from '#slices/recognition';
import { EXIT } from '../../../cli/command.ts';
import { readSmallFile } from '../../../cli/files.ts';
import { CheckWarning } from '../../../cli/warning.ts';
import type { SliceCheck, SliceCommand } from '../../processes.ts';

/** Whether documents can be read and scanned: without it they are, but by people. */
export const checks: readonly SliceCheck[] = [
  {
    name: 'documents',
    async look({ clock, config }) {
      const engines = await openRecogniser({ clock, config }).engines();
      const version = await openScanner(config).version();
      const readers = engines.map((one) => `${one.name} ${one.version}`).join(', ');
      const lacks = [
        ...(engines.some(({ name }) => name === 'tesseract')
          ? []
          : ['pictures are read by people: install tesseract-ocr, poppler-utils and util-linux']),
        ...(version === undefined ? ['nothing is scanned for malware: set CLAMD_URL'] : []),
      ];
      if (lacks.length > 0) throw new CheckWarning(`read by ${readers}; ${lacks.join('; ')}`);
      return `read by ${readers}; scanned by ${version}`;
    },
  },
];

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
    words: 'document read',
    summary: 'Scan and read a file as an uploaded document would be; nothing is kept',
    options: [{ name: 'file', value: 'F', required: true, help: 'JPEG, PNG or PDF' }],
    example: 'document read --file passport.jpg',
    async run({ open, output }, given) {
      const bytes = await readSmallFile(given.value('file'));
      const { mediaType, pages } = await inspectMedia(bytes);
      const { clock, config } = await open();
      const scan = await openScanner(config).scan(bytes);
      if (scan.status === 'infected') {
        output.result({ scan }, `infected  ${scan.signature}`);
        return EXIT.bad;
      }
      const read = await openRecogniser({ clock, config }).recognise({ bytes, mediaType, pages });
      const { engine, fields, mrz, status, tookMs, warnings } = read;
      output.result(
        {
          engine: engine ?? null,
          fields,
          mrz: mrz ?? null,
          scan,
          status,
          took_ms: tookMs,
          warnings,
        },
        [
          `status    ${[status, ...warnings].join(', ')}`,
          `engine    ${engine === undefined ? 'none' : `${engine.name} ${engine.version}`}`,
          `scan      ${scan.status}`,
          ...(mrz === undefined ? [] : [words(mrz)]),
        ].join('\n'),
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
