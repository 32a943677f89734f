/**
 * What exceljs reads wrongly in a workbook's XML, written in another way that means the same: of a
 * text in runs within its cell it takes the last run, of a text with a reading beside it the
 * reading, and of a date in ISO form the year, as a number of days.
 */

/** Of a sheet. */
export function readableSheet(sheet: Buffer): Buffer {
  const hasRuns = sheet.includes('<is>') && /<r[ >]/.test(sheet.toString());
  if (!hasRuns && !sheet.includes(' t="d"')) return sheet;
  const text = sheet.toString().replaceAll(' t="d"', ' t="str"');
  return Buffer.from(hasRuns ? between(text, '<is>', '</is>', joinedRuns) : text);
}

/** Of the texts that sheets share. */
export function readableTexts(texts: Buffer): Buffer {
  if (!texts.includes('<rPh')) return texts;
  return Buffer.from(withoutReadings(texts.toString()));
}

const withoutReadings = (text: string): string => between(text, '<rPh', '</rPh>', () => '');

function joinedRuns(inline: string): string {
  const runs = withoutReadings(inline).matchAll(/<t(?: [^<>]*)?>([^<]*)<\/t>/g);
  const text = [...runs].map(([, run]) => run).join('');
  return `<is><t xml:space="preserve">${text}</t></is>`;
}

/** With every stretch from `open` to the end of `close` replaced. */
function between(
  text: string,
  open: string,
  close: string,
  replace: (stretch: string) => string,
): string {
  let result = '';
  let end = 0;
  for (let start = text.indexOf(open); start >= 0; start = text.indexOf(open, end)) {
    const closing = text.indexOf(close, start);
    if (closing < 0) break;
    result += text.slice(end, start) + replace(text.slice(start, closing + close.length));
    end = closing + close.length;
  }
  return result + text.slice(end);
}
