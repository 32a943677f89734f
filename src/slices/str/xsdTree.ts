/** A schema's document as a tree of elements: small, and bounded in all that could make it grow. */
import { DomainError } from '#core/kernel';
import { XmlDamaged, XmlReader } from '#platform/xml/readXml';
import { XSD_BYTES_MAX } from './limits.ts';

/** An element by its local name. */
export interface XsdNode {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: XsdNode[];
}

const SCHEMA = 'http://www.w3.org/2001/XMLSchema';
const LIMITS = {
  attributesMax: 32,
  bytesMax: XSD_BYTES_MAX,
  depthMax: 64,
  elementsMax: 100_000,
  nameCharsMax: 128,
  textCharsMax: 64 * 1024,
};

/** Throws `str-profile-invalid` for what is no schema. */
export function readXsdTree(bytes: Uint8Array): XsdNode {
  let root: XsdNode | undefined;
  const open: XsdNode[] = [];
  try {
    new XmlReader(LIMITS).read(bytes, {
      close: () => void open.pop(),
      open(name, depth, attributes) {
        const entries = attributes.names().map((one): [string, string] => {
          return [one, attributes.get(one) ?? ''];
        });
        const node = { attributes: new Map(entries), children: [], name };
        if (depth === 1) root = node;
        else open.at(-1)?.children.push(node);
        open.push(node);
      },
      root(name, namespace) {
        if (name !== 'schema' || namespace !== SCHEMA) throw notASchema('its root is no schema');
      },
    });
  } catch (error) {
    if (error instanceof XmlDamaged) throw notASchema(error.message);
    throw error;
  }
  if (root === undefined) throw notASchema('it is empty');
  return root;
}

const notASchema = (detail: string): DomainError =>
  new DomainError('str-profile-invalid', { detail: `expected an XML schema: ${detail}` });
