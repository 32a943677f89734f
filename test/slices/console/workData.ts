/** Cases, payments and a report for the pages that show them, as a customer's systems send them. */

import { examplesOf } from '../../../packages/console/src/areas/cases/exampleCases.ts';
import { examplePayments } from '../../../packages/console/src/areas/monitoring/examplePayments.ts';
import { exampleReport } from '../../../packages/console/src/areas/reports/exampleReport.ts';
import { start } from '../../../src/slices/customers/edge/jobs.ts';
import type { RunningWork } from '../../../src/slices/processes.ts';
import type { Caller, RealGateway } from '../../api/realGateway.ts';

const NOW = Date.now();

/** A case without papers that waits for its customer, by its id. */
export async function openCase(agent: Caller): Promise<string> {
  const [, , waiting] = examplesOf(NOW);
  if (waiting === undefined) throw new Error('no such example');
  const { consents: _, papers: __, ...body } = waiting;
  const answer = await agent.post('/v1/kyc/cases', body);
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.json<{ case_id: string }>().case_id;
}

/** The id of the last payment: one that names a listed party in its text. */
export async function sendPayments(sender: Caller): Promise<string> {
  const transactions = examplePayments(NOW).slice(-10);
  const path = '/v1/aml/transactions/ingest?format=json_service';
  const answer = await sender.post(path, { transactions });
  if (answer.status !== 202) throw new Error(answer.text);
  return String(transactions.at(-1)?.tx_id);
}

/** The id of a draft. */
export async function draftReport(writer: Caller): Promise<string> {
  const answer = await writer.post('/v1/aml/str', exampleReport(NOW));
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.json<{ str_id: string }>().str_id;
}

/** What a worker does for cases. */
export const caseWork = async (gateway: RealGateway): Promise<RunningWork> =>
  start(gateway.process as never);
