/**
 * The way by files: packages in `out`, whole once they have their name, and receipts in `in`, named
 * `<entity_reference>.xml` or `<entity_reference>.<anything>.xml`. Whoever carries them may take a
 * package away at once, so that it was written is noted before it gets its name: a worker that died
 * in between writes none a second time.
 */
import { access, mkdir, open, readdir, readFile, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { TenantId } from '#core/kernel';
import type { AuthorityAnswer } from './endSubmission.ts';
import { readFincenReceipt } from './fincenReceipt.ts';
import { RECEIPT_BYTES_MAX } from './limits.ts';
import { fileStem } from './packageReport.ts';

/** Folders of one installation, a pair a tenant. */
export interface FolderChannel {
  /** Durable when it resolves; a package that was written before is left as it is. */
  write(of: FolderPlace, bytes: Uint8Array): Promise<void>;
  /** The answer that has come, if one has. */
  receive(of: FolderPlace): Promise<AuthorityAnswer | undefined>;
  /** The receipt was written into the record. */
  settle(of: FolderPlace, fileName: string): Promise<void>;
}

/** Whose package. */
export interface FolderPlace {
  readonly tenantId: TenantId;
  readonly entityReference: string;
}

/** `root` is the folder of the slice in DATA_DIR. */
export function folderChannel(root: string): FolderChannel {
  const folder = async (tenantId: TenantId, name: string): Promise<string> => {
    const path = join(root, tenantId, name);
    await mkdir(path, { mode: 0o700, recursive: true });
    return path;
  };
  return {
    async write({ entityReference, tenantId }, bytes) {
      const out = await folder(tenantId, 'out');
      const stem = fileStem(entityReference);
      const part = join(await folder(tenantId, 'written'), `${stem}.part`);
      const mark = join(await folder(tenantId, 'written'), `${stem}.mark`);
      const isMarked = await exists(mark);
      // Marked, and the part is gone: it got its name, and may be with the authority by now.
      if (isMarked && !(await exists(part))) return;
      await writeDurably(part, bytes);
      await writeDurably(mark, Buffer.alloc(0));
      await rename(part, join(out, `${stem}.zip`));
      await syncFolder(out);
    },
    async receive({ entityReference, tenantId }) {
      const from = await folder(tenantId, 'in');
      const stem = `${fileStem(entityReference)}.`;
      for (const fileName of (await readdir(from)).sort()) {
        if (!fileName.startsWith(stem) || !fileName.endsWith('.xml')) continue;
        const path = join(from, fileName);
        if ((await stat(path)).size > RECEIPT_BYTES_MAX) continue;
        const bytes = await readFile(path);
        const answer = readFincenReceipt(bytes);
        if (answer === undefined) continue; // not whole yet
        return { ...answer, receipt: { base64: bytes.toString('base64'), fileName } };
      }
      return undefined;
    },
    async settle({ tenantId }, fileName) {
      const done = await folder(tenantId, 'done');
      const from = join(await folder(tenantId, 'in'), fileName);
      if (await exists(from)) await rename(from, join(done, fileName));
    },
  };
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

async function writeDurably(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, 'w', 0o600);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
