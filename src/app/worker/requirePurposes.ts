/** Every job of a worker says for what it processes data of customers, or it does not start. */
import assert from 'node:assert/strict';
import type { LoadedJobs } from './jobs.ts';

/** The same jobs. Throws an AssertionError that names the one without a purpose. */
export function requirePurposes<Job extends { readonly name: string }>(
  { name, part }: LoadedJobs,
  jobs: readonly Job[],
): readonly Job[] {
  for (const job of jobs) {
    const isNamed = Object.hasOwn(part.purposes, job.name);
    assert(isNamed, `slices/${name}/edge/jobs.ts: name the purpose of ${job.name} in purposes`);
  }
  return jobs;
}
