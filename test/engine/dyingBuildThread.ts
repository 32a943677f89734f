/** A thread that dies of its first batch. */
import { parentPort } from 'node:worker_threads';

parentPort?.on('message', () => process.exit(3));
