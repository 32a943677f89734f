/** Work on a database past the store. */
import { MongoClient } from 'mongodb';

export async function withDatabase<T>(
  url: string,
  work: (db: ReturnType<MongoClient['db']>) => Promise<T>,
): Promise<T> {
  const client = new MongoClient(url);
  try {
    return await work(client.db());
  } finally {
    await client.close();
  }
}
