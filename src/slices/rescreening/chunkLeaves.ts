/** Who was looked at, and what came of it: a leaf a customer, whose root is in the chain. */
import { canonicalJson } from '#platform/canonicalJson';
import { leafHash, merkleRoot } from '#platform/merkleTree';

/** What became of a customer; `unaffected`: nothing that has changed is near. */
export interface CustomerLeaf {
  readonly decision: string;
  /** Digest of the hits that he came with, while he waits to be screened by himself. */
  readonly known?: string;
  readonly subject_digest: string;
  readonly subject_id: string;
}

/** The text of a leaf: its bytes are what is hashed. */
export const leafText = ({ decision, known, subject_digest, subject_id }: CustomerLeaf): string =>
  canonicalJson({
    decision,
    ...(known !== undefined && { known }),
    subject_digest,
    subject_id,
  });

/** Lines of all leaves, and their root in hex. */
export function leavesOf(leaves: readonly CustomerLeaf[]) {
  const texts = leaves.map(leafText);
  return {
    lines: Buffer.from(texts.map((text) => `${text}\n`).join('')),
    merkleRoot: merkleRoot(texts.map(leafHash)).toString('hex'),
  };
}
