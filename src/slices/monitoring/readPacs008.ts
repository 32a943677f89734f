/**
 * pacs.008 to canonical transactions: one pass over the bytes checks the message against its
 * version's schema and fills the drafts. A message is taken whole or not at all: its counts and
 * sums are of all that stands in it.
 */
import { DomainError } from '#core/kernel';
import { XML_LIMITS, type XmlAttributes, type XmlHandler } from '#platform/xml/ports';
import { XmlDamaged, XmlReader } from '#platform/xml/readXml';
import { GROUP_PATHS, TRANSACTION_PATHS } from './pacs008Paths.ts';
import { documentType, type SchemaPlace, type SchemaType } from './pacs008Schema.ts';
import { type Draft, type PathNode, pathTree } from './pathTree.ts';

/** Bytes of one message. */
export const PACS008_BYTES_MAX = 10 * 1024 ** 2;
const LIMITS = {
  ...XML_LIMITS,
  bytesMax: PACS008_BYTES_MAX,
  elementsMax: 2_000_000,
  textCharsMax: 16 * 1024,
};
/** Depth of `Document` under its envelopes. */
const DOCUMENT_DEPTH_MAX = 3;
const NAMESPACE = 'urn:iso:std:iso:20022:tech:xsd:pacs.008.001.';
const DEFINITION = /^pacs\.008\.001\.(\d{2})$/;

const GROUP = pathTree(GROUP_PATHS);
const TRANSACTION = pathTree(TRANSACTION_PATHS);
/** Its buffers serve one message after the other. */
const reader = new XmlReader(LIMITS);

/** A message as it stands: its header, and its transactions in order. */
export interface ReadPacs008 {
  readonly version: string;
  readonly hasNamespace: boolean;
  readonly group: Draft;
  readonly transactions: readonly Draft[];
  /** BICs of the business application header, where the message came in one. */
  readonly from?: string;
  readonly to?: string;
}

/** Throws `message-malformed`, `message-version-unsupported` or `message-invalid`. */
export function readPacs008(bytes: Uint8Array): ReadPacs008 {
  const handler = new MessageHandler();
  try {
    reader.read(bytes, handler);
  } catch (error) {
    if (!(error instanceof XmlDamaged)) throw error;
    throw new DomainError('message-malformed', { detail: error.message });
  }
  return handler.message();
}

/** An open element of the document. */
interface Frame {
  readonly name: string;
  readonly type: SchemaType;
  readonly path: PathNode | undefined;
  /** Where in its content model it is, and how many elements that place has taken. */
  place: number;
  taken: number;
  /** The name that takes the whole place. */
  chosen: string | undefined;
}

class MessageHandler implements XmlHandler {
  #rootNamespace = '';
  /** Depth at which `Document` stands; 0 before it. */
  #documentDepth = 0;
  /** What names of the document begin with: its namespace in braces, or nothing. */
  #prefix = '';
  #version = '';
  #hasNamespace = true;
  #definition: string | undefined;
  #isInHeader = false;
  #headerBics: { from?: string; to?: string } = {};
  #headerSide: 'from' | 'to' | undefined;
  readonly #frames: Frame[] = [];
  /** Depth of an element that takes whatever stands in it; 0 where there is none. */
  #anyDepth = 0;
  #group: Draft = {};
  #draft: Draft = {};
  readonly #transactions: Draft[] = [];

  root(_name: string, namespace: string): void {
    this.#rootNamespace = namespace;
  }

  open(name: string, depth: number, attributes: XmlAttributes): void {
    if (this.#anyDepth > 0) return;
    const parent = this.#frames.at(-1);
    if (parent !== undefined) this.#openWithin(parent, name, depth, attributes);
    else if (localOf(name) === 'Document') this.#openDocument(name, depth);
    else this.#openOutside(localOf(name));
  }

  close(name: string, text: string, depth: number): void {
    if (this.#anyDepth > 0) {
      if (depth !== this.#anyDepth) return;
      this.#anyDepth = 0;
    }
    const frame = this.#frames.pop();
    if (frame === undefined) this.#closeOutside(localOf(name), text);
    else this.#closeWithin(frame, text);
  }

  message(): ReadPacs008 {
    if (this.#documentDepth === 0) {
      throw new DomainError('message-invalid', {
        detail: 'expected an element Document of pacs.008, found none',
      });
    }
    return {
      group: this.#group,
      hasNamespace: this.#hasNamespace,
      transactions: this.#transactions,
      version: this.#version,
      ...this.#headerBics,
    };
  }

  #openDocument(name: string, depth: number): void {
    if (this.#documentDepth > 0) throw invalid('/Document', 'occurs', 'expected one Document');
    if (depth > DOCUMENT_DEPTH_MAX) {
      throw invalid('/Document', 'depth', 'expected Document in at most two envelopes');
    }
    const brace = name.indexOf('}');
    this.#prefix = name.slice(0, brace + 1);
    const namespace = brace < 0 ? this.#rootNamespace : name.slice(1, brace);
    this.#version = this.#versionOf(namespace);
    const type = documentType(this.#version);
    if (type === undefined) throw unsupported(this.#version);
    this.#documentDepth = depth;
    this.#frames.push(frameOf('Document', type, undefined));
  }

  /** Without a namespace the business application header says which version it is. */
  #versionOf(namespace: string): string {
    if (namespace.startsWith(NAMESPACE)) return namespace.slice(NAMESPACE.length);
    const version = DEFINITION.exec(this.#definition ?? '')?.[1];
    if (namespace !== '' || version === undefined) throw unsupported('');
    this.#hasNamespace = false;
    return version;
  }

  #openWithin(parent: Frame, name: string, depth: number, attributes: XmlAttributes): void {
    const local = name.startsWith(this.#prefix) ? name.slice(this.#prefix.length) : '';
    const type = this.#next(parent, local);
    const path = this.#pathOf(parent, local);
    this.#frames.push(frameOf(local, type, path));
    if (type.places === 'any') this.#anyDepth = depth;
    if (attributes.size > 0 || type.attribute !== undefined) this.#readAttributes(type, attributes);
    if (path !== undefined) {
      for (const write of path.begins) write(this.#draft, '');
      for (const [attribute, write] of path.attributes) {
        const value = attributes.get(attribute);
        if (value !== undefined) write(this.#draft, value);
      }
    }
  }

  #pathOf(parent: Frame, name: string): PathNode | undefined {
    if (this.#frames.length !== 2) return parent.path?.children.get(name);
    this.#draft = {};
    if (name === 'GrpHdr') return GROUP;
    return name === 'CdtTrfTxInf' ? TRANSACTION : undefined;
  }

  /** The type of the next element, if it may stand here. */
  #next(parent: Frame, name: string): SchemaType {
    const { places } = parent.type;
    if (places === undefined || places === 'any') {
      throw this.#wrong('type', 'expected a text, found an element');
    }
    for (;;) {
      const place = places[parent.place];
      if (place === undefined) {
        throw this.#wrong('order', `expected no more elements in ${parent.name}`);
      }
      const type = place.names.get(name);
      if (type !== undefined && takes(parent, place, name)) return type;
      if (parent.taken < place.least) {
        throw this.#wrong('order', `expected ${[...place.names.keys()].slice(0, 5).join(' or ')}`);
      }
      parent.place++;
      parent.taken = 0;
      parent.chosen = undefined;
    }
  }

  #readAttributes(type: SchemaType, attributes: XmlAttributes): void {
    const { attribute } = type;
    // `xsi:schemaLocation` and its like say nothing of the payment.
    const stranger = attributes
      .names()
      .find((name) => name !== attribute?.name && !name.includes(':'));
    if (stranger !== undefined) throw this.#wrong('attribute', 'expected no such attribute');
    if (attribute === undefined) return;
    const value = attributes.get(attribute.name);
    const fault = value === undefined ? 'this attribute' : attribute.rule(value);
    if (fault === undefined) return;
    throw this.#wrong('attribute', `expected in ${attribute.name}: ${fault}`);
  }

  #checkEnd(frame: Frame, text: string): void {
    const { places, text: rule } = frame.type;
    if (rule !== undefined) {
      const expected = rule(text);
      if (expected !== undefined) throw this.#wrong('format', `expected ${expected}`, frame);
      return;
    }
    if (places === undefined || places === 'any') return;
    if (text !== '') throw this.#wrong('type', 'expected elements, found a text', frame);
    const missing = places.find(
      (place, at) => at >= frame.place && (at === frame.place ? frame.taken : 0) < place.least,
    );
    if (missing === undefined) return;
    const expected = [...missing.names.keys()].slice(0, 5).join(' or ');
    throw this.#wrong('missing', `expected ${expected}`, frame);
  }

  #closeWithin(frame: Frame, text: string): void {
    this.#checkEnd(frame, text);
    if (text !== '') for (const write of frame.path?.writes ?? []) write(this.#draft, text);
    if (this.#frames.length !== 2) return;
    if (frame.name === 'GrpHdr') this.#group = this.#draft;
    if (frame.name === 'CdtTrfTxInf') this.#transactions.push(this.#draft);
  }

  #openOutside(local: string): void {
    if (local === 'AppHdr') this.#isInHeader = true;
    if (!this.#isInHeader) return;
    if (local === 'Fr') this.#headerSide = 'from';
    if (local === 'To') this.#headerSide = 'to';
  }

  #closeOutside(local: string, text: string): void {
    if (local === 'AppHdr') this.#isInHeader = false;
    if (!this.#isInHeader) return;
    if (local === 'MsgDefIdr') this.#definition = text;
    const isBic = local === 'BICFI' || local === 'AnyBIC';
    if (isBic && this.#headerSide !== undefined) this.#headerBics[this.#headerSide] = text;
    if (local === 'Fr' || local === 'To') this.#headerSide = undefined;
  }

  /** The place in words of the message: transactions are counted from 0. */
  #wrong(code: string, detail: string, last?: Frame): DomainError {
    const names = [...this.#frames, ...(last === undefined ? [] : [last])].map(({ name }) =>
      name === 'CdtTrfTxInf' ? `${name}/${this.#transactions.length}` : name,
    );
    return invalid(`/${names.join('/')}`, code, detail);
  }
}

function takes(frame: Frame, place: SchemaPlace, name: string): boolean {
  const most = place.repeats?.get(name) ?? place.most;
  if (frame.taken >= most) return false;
  if (place.repeats !== undefined && frame.chosen !== undefined && frame.chosen !== name) {
    return false;
  }
  frame.taken++;
  frame.chosen = name;
  return true;
}

const frameOf = (name: string, type: SchemaType, path: PathNode | undefined): Frame => ({
  chosen: undefined,
  name,
  path,
  place: 0,
  taken: 0,
  type,
});

const localOf = (name: string): string => name.slice(name.indexOf('}') + 1);

const invalid = (pointer: string, code: string, detail: string): DomainError =>
  new DomainError('message-invalid', {
    detail: `${pointer}: ${detail}`,
    violations: [{ code, detail, pointer }],
  });

/** The version as it was found, where it has the form of one. */
function unsupported(version: string): DomainError {
  const found = /^\d{2}$/.test(version) ? `.${version}` : 'another message';
  const detail = `expected pacs.008.001.01 to .13, found ${found}`;
  return new DomainError('message-version-unsupported', { detail });
}
