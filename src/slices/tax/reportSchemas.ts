/**
 * The published schemas, by which each report is validated in windows: some hundreds of records in
 * the real head and end of their message. The schemas have no keys and no uniqueness across
 * records, so the windows are valid exactly where the whole is. Parsed once, in the process that
 * validates.
 */
import { readdir, readFile } from 'node:fs/promises';
import { DIALECTS, type ReportSchema } from './dialects.ts';

const FOLDER = new URL('../../../config/tax/schemas/', import.meta.url);
/** Faults of one window that are told. */
const TOLD_MAX = 20;

/** A fault as the schema tells it, without the value that it found. */
export interface SchemaFault {
  readonly element: string;
  readonly detail: string;
}

/** Validates windows of one schema. */
export interface SchemaValidator {
  /** Faults of a whole document; empty where it is valid. */
  validate(document: Uint8Array): readonly SchemaFault[];
}

const opened = new Map<ReportSchema, Promise<SchemaValidator>>();

/** One for a schema and a process. */
export function schemaValidator(schema: ReportSchema): Promise<SchemaValidator> {
  const known = opened.get(schema) ?? openValidator(schema);
  opened.set(schema, known);
  return known;
}

async function openValidator(schema: ReportSchema): Promise<SchemaValidator> {
  // Loaded where something is validated, and nowhere else.
  const xml = await import('libxml2-wasm');
  const folder = new URL(`${schema}/`, FOLDER);
  const files: Record<string, Uint8Array> = {};
  for (const name of await readdir(folder)) {
    if (name.endsWith('.xsd')) files[`${schema}/${name}`] = await readFile(new URL(name, folder));
  }
  const { file } = DIALECTS[schema];
  const main = files[`${schema}/${file}`];
  if (main === undefined) throw new Error(`config/tax/schemas/${schema}: expected ${file}`);
  const provider = new xml.XmlBufferInputProvider(files);
  xml.xmlRegisterInputProvider(provider);
  const grammar = xml.XmlDocument.fromBuffer(main, { url: `${schema}/${file}` });
  const validator = xml.XsdValidator.fromDoc(grammar);
  grammar.dispose();
  return {
    validate(document) {
      const parsed = xml.XmlDocument.fromBuffer(document);
      try {
        validator.validate(parsed);
        return [];
      } catch (error) {
        if (!(error instanceof xml.XmlValidateError)) throw error;
        return error.details.slice(0, TOLD_MAX).map(({ message }) => faultOf(message));
      } finally {
        // The memory of WebAssembly is not collected.
        parsed.dispose();
      }
    },
  };
}

const ELEMENT = /^Element '(?:\{[^}]*\})?([A-Za-z]+)'/;

/** The words of libxml2 hold the value, maybe a tax number: only the kind of fault is kept. */
function faultOf(message: string): SchemaFault {
  const element = ELEMENT.exec(message)?.[1] ?? '';
  if (message.includes('is not expected')) {
    return { detail: 'expected another element here, or none', element };
  }
  if (message.includes('Missing child element')) {
    return { detail: 'expected a further element', element };
  }
  return { detail: 'expected a value that the schema allows', element };
}
