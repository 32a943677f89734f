/**
 * The key that a person signs with: made in this browser and never out of it, or read from a file
 * for one signature. The private part is sent nowhere in either case.
 */
const DATABASE = 'console';
const STORE = 'keys';

/** What this browser keeps for a person. */
export interface KeptKey {
  readonly privateKey: CryptoKey;
  /** Raw Ed25519 public key in base64, as `person key add` takes it. */
  readonly publicKey: string;
}

const open = (): Promise<IDBDatabase> =>
  new Promise((resolve, reject) => {
    const asked = indexedDB.open(DATABASE, 1);
    asked.onupgradeneeded = () => asked.result.createObjectStore(STORE);
    asked.onsuccess = () => resolve(asked.result);
    asked.onerror = () => reject(asked.error);
  });

async function inStore<Value>(
  mode: IDBTransactionMode,
  work: (store: IDBObjectStore) => IDBRequest<Value>,
): Promise<Value> {
  const database = await open();
  try {
    return await new Promise((resolve, reject) => {
      const request = work(database.transaction(STORE, mode).objectStore(STORE));
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
  } finally {
    database.close();
  }
}

export const keptKey = (personId: string): Promise<KeptKey | undefined> =>
  inStore<KeptKey | undefined>('readonly', (store) => store.get(personId));

export const base64 = (bytes: ArrayBuffer): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)));

/** A new key of the person in this browser, in the place of a former one. */
export async function makeKey(personId: string): Promise<KeptKey> {
  const pair = (await crypto.subtle.generateKey('Ed25519', false, [
    'sign',
    'verify',
  ])) as CryptoKeyPair;
  const publicKey = base64(await crypto.subtle.exportKey('raw', pair.publicKey));
  const kept: KeptKey = { privateKey: pair.privateKey, publicKey };
  await inStore('readwrite', (store) => store.put(kept, personId));
  await navigator.storage?.persist?.();
  // What cannot be read again would be a key that signs once: said now, and not at the approval.
  const again = await keptKey(personId);
  if (again === undefined) throw new Error('the browser has not kept the key');
  return again;
}

/** A private key as PKCS#8 in PEM. Throws where it is none of Ed25519. */
export async function readKey(pem: string): Promise<CryptoKey> {
  const body = /-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\s]+)-----END PRIVATE KEY-----/.exec(pem);
  const text = (body?.[1] ?? '').replace(/\s/g, '');
  const bytes = Uint8Array.from(atob(text), (one) => one.charCodeAt(0));
  return crypto.subtle.importKey('pkcs8', bytes, 'Ed25519', false, ['sign']);
}

/** Base64 of the signature over these bytes. */
export const signText = async (key: CryptoKey, text: string): Promise<string> =>
  base64(await crypto.subtle.sign('Ed25519', key, new TextEncoder().encode(text)));
