/**
 * What a connector that reads XML gives and gets. Names are local names in the root's namespace; an
 * element of any other namespace keeps its place in the tree and comes as `{namespace}name`, which
 * no publisher's own name can be: connectors take it for an element that they do not know.
 */

/** Valid during the call only; values are as published, entities resolved, not trimmed. */
export interface XmlAttributes {
  readonly size: number;
  /** By the name as written (`xsi:nil` with its prefix); undefined where there is none. */
  get(name: string): string | undefined;
  /** In the file's order, without the declarations of namespaces. */
  names(): readonly string[];
}

export interface XmlHandler {
  /** Throws `list-foreign` where the document is not the one expected. */
  root(name: string, namespace: string, attributes: XmlAttributes): void;
  /** `depth` is 1 at the root, which is opened as every other element. */
  open(name: string, depth: number, attributes: XmlAttributes): void;
  /** `text` is trimmed. An element holds either text or elements: `text` is empty then. */
  close(name: string, text: string, depth: number): void;
}

export interface XmlLimits {
  readonly bytesMax: number;
  readonly depthMax: number;
  /** Attributes of one element. */
  readonly attributesMax: number;
  readonly elementsMax: number;
  /** Characters of one element's text, and of all that stands in one tag. */
  readonly textCharsMax: number;
  readonly nameCharsMax: number;
}

export interface XmlOptions {
  readonly limits?: XmlLimits;
  /** Called after every piece with the number of bytes read so far. */
  readonly onBytes?: (bytes: number) => void;
}

export const XML_LIMITS: XmlLimits = {
  bytesMax: 4 * 1024 ** 3,
  depthMax: 32,
  attributesMax: 64,
  elementsMax: 200_000_000,
  textCharsMax: 64 * 1024,
  nameCharsMax: 128,
};
