/** Whether a whole report is valid, by libxml2 in another build than the product's. */
import { readdir, readFile } from 'node:fs/promises';
import { validateXML } from 'xmllint-wasm';
import { DIALECTS, type ReportSchema } from '#slices/tax';

export async function faultsOf(xml: string, schema: ReportSchema): Promise<readonly string[]> {
  const folder = new URL(`../../../config/tax/schemas/${schema}/`, import.meta.url);
  const files = await Promise.all(
    (await readdir(folder)).map(async (fileName) => ({
      contents: await readFile(new URL(fileName, folder), 'utf8'),
      fileName,
    })),
  );
  const { file } = DIALECTS[schema];
  const { errors } = await validateXML({
    preload: files.filter(({ fileName }) => fileName !== file),
    schema: files.filter(({ fileName }) => fileName === file),
    xml: [{ contents: xml, fileName: 'report.xml' }],
  });
  return errors.map(({ message }) => message);
}
