/** Acknowledgements in FinCEN's form: accepted or not, its number, and what was wrong. */
import { DomainError } from '#core/kernel';
import { XmlDamaged, XmlReader } from '#platform/xml/readXml';
import type { AuthorityAnswer, RefusalReason } from './endSubmission.ts';
import { RECEIPT_BYTES_MAX } from './limits.ts';

const LIMITS = {
  attributesMax: 16,
  bytesMax: RECEIPT_BYTES_MAX,
  depthMax: 16,
  elementsMax: 100_000,
  nameCharsMax: 128,
  textCharsMax: 16 * 1024,
};
const ROOT = 'EFilingBatchXML';
const ACCEPTED = 'A';
const REASONS_MAX = 200;

/** The names of an error's parts, and ours. */
const ERROR_PARTS: Readonly<Record<string, string>> = {
  ErrorContextText: 'pointer',
  ErrorElementNameText: 'element',
  ErrorLevelText: 'level',
  ErrorText: 'detail',
  ErrorTypeCode: 'code',
};

/** Undefined for a file that is not whole yet. Throws `body-invalid` for one of another form. */
export function readFincenReceipt(bytes: Uint8Array): AuthorityAnswer | undefined {
  let status = '';
  let reference: string | undefined;
  let error: Record<string, string> | undefined;
  const errors: Record<string, string>[] = [];
  try {
    new XmlReader(LIMITS).read(bytes, {
      close(name, text) {
        if (name === 'BSAID' && text !== '') reference ??= text;
        const part = ERROR_PARTS[name];
        if (part !== undefined && error !== undefined) error[part] = text;
        if (name === 'EFilingActivityErrorXML' && error !== undefined) {
          // One without parts says that there is none.
          if (Object.keys(error).length > 0) errors.push(error);
          error = undefined;
        }
      },
      open(name, depth, attributes) {
        if (depth === 1) status = attributes.get('StatusCode') ?? '';
        if (name === 'EFilingActivityErrorXML') error = {};
      },
      root(name) {
        if (name !== ROOT) throw new DomainError('body-invalid', { detail: `expected ${ROOT}` });
      },
    });
  } catch (cause) {
    if (cause instanceof XmlDamaged) return undefined;
    throw cause;
  }
  const reasons = errors.slice(0, REASONS_MAX).map(reasonOf);
  const isAccepted = status === ACCEPTED && reference !== undefined;
  return {
    kind: isAccepted ? 'acknowledged' : 'refused',
    reasons,
    ...(reference !== undefined && { fiuReference: reference }),
  };
}

function reasonOf({ code = '', detail = '', element, level, pointer }: Record<string, string>) {
  const words = [level, element, detail].filter((word) => word !== undefined && word !== '');
  const reason: RefusalReason = { code, detail: words.join(': ') };
  return pointer === undefined ? reason : { ...reason, pointer };
}
