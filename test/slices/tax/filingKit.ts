/** An institution that files: its channel, a worker's steps, and an IRS that answers. */
import { expect } from 'vitest';
import { Hold } from '#core/work';
import {
  type ChannelPlace,
  type CreateDeclaration,
  cancelDeclaration,
  changeDeclaration,
  createDeclaration,
  type FilingHold,
  fileMessage,
  filingTable,
  findDeclaration,
  generateDeclaration,
  generationTable,
  IRS,
  orderGeneration,
  receiveNotification,
  saveChannel,
  submitDeclaration,
  type TaxDeclaration,
} from '#slices/tax';
import { forgePackage, signAsIrs } from './forgedPackage.ts';
import { validFile } from './notificationKit.ts';
import { type Party, party } from './packageKit.ts';
import { GIIN } from './reporting.ts';
import { ASK, type TaxDesk, TENANT } from './taxDesk.ts';

const TIMES = { leaseMs: 10_000, renewMs: 3_000 };
export const own = party('bank');
export const irs = party('irs');

type Which = Pick<TaxDeclaration, 'declarationId'>;

export const nameOf = ({ messages: [message] }: TaxDeclaration) => message?.filing?.fileName ?? '';
/** What became of its message of that number. */
export const stateOf = ({ messages }: TaxDeclaration, messageNo: number) =>
  messages.find((one) => one.messageNo === messageNo)?.filing?.state;
export const refOf = ({ messages: [message] }: TaxDeclaration) => message?.messageRefId ?? '';

/** What a test does at such a desk. */
export function filingKit(desk: TaxDesk) {
  const find = ({ declarationId }: Which) =>
    findDeclaration(desk.ports, { declarationId, tenantId: TENANT });

  /** As a worker does with the message of the latest submission, or after one that died. */
  async function withFiling<Value>(
    made: Which,
    work: (hold: FilingHold) => Promise<Value>,
    messageNo = 1,
  ) {
    const { declarationId, submissions: submissionNo = 0 } = await find(made);
    const key = { declarationId, messageNo, submissionNo, tenantId: TENANT };
    const all = await desk.tables.held(filingTable, { limit: 50 });
    const held = all.find(
      ({ record }) => record.declarationId === declarationId && record.messageNo === messageNo,
    );
    const leased = held
      ? await desk.tables.takeOver(filingTable, { holder: 'other', key, seen: held.lease })
      : await desk.tables.claim(filingTable, { holder: 'test', key });
    if (leased === undefined) throw new Error('the order is free');
    const hold = new Hold(desk, filingTable, leased, { times: TIMES });
    return work(hold).finally(() => hold.end());
  }

  async function generate(made: Which): Promise<TaxDeclaration> {
    const { declarationId, generations: generationNo } = await find(made);
    const key = { declarationId, generationNo, tenantId: TENANT };
    const leased = await desk.tables.claim(generationTable, { holder: 'test', key });
    if (leased === undefined) throw new Error('the order is free');
    const hold = new Hold(desk, generationTable, leased, { times: TIMES });
    await generateDeclaration(desk.ports, hold).finally(() => hold.end());
    return find(made);
  }

  /** A nil report of a period, generated. */
  async function generated(period: string, ask: Partial<CreateDeclaration> = {}) {
    const made = await createDeclaration(desk.ports, {
      ...ASK,
      filerCategory: 'FATCA601',
      giin: GIIN,
      isTest: false,
      nilReport: true,
      period,
      type: 'FATCA1',
      ...ask,
    } as CreateDeclaration);
    return generate(made);
  }

  /** The same of two messages, as an institution of many accounts has them, and submitted. */
  async function twoUnderway(...of: Parameters<typeof generated>) {
    const one = await generated(...of);
    await changeDeclaration(
      desk.ports,
      { ...ASK, declarationId: one.declarationId },
      {
        action: 'tcr.declaration.generated',
        from: ['generated'],
        step: (before) => ({
          ...before,
          messages: before.messages.flatMap((message) => [
            message,
            { ...message, messageNo: 2, messageRefId: `${message.messageRefId}2` },
          ]),
        }),
      },
    );
    return submitDeclaration(desk.ports, { ...ASK, ...one });
  }

  async function file(made: Which, messageNo = 1): Promise<TaxDeclaration> {
    // The clock stands still, and the name of a package is its time.
    desk.clock.advance(1_000);
    await withFiling(made, (hold) => fileMessage(desk.ports, hold), messageNo);
    return find(made);
  }

  const answerOf = async (text: string, by: Party = irs, to: Party = own) => {
    const sealed = await forgePackage({
      document: signAsIrs(text, by),
      metadata: (xml) => xml.replace('>RPT<', '>NTF<'),
      receiver: GIIN,
      sender: IRS,
      to,
    });
    return { ...ASK, bytes: sealed };
  };
  const take = async (text: string) => receiveNotification(desk.ports, await answerOf(text));
  const accept = (of: TaxDeclaration, more: Parameters<typeof validFile>[0] = {}) =>
    take(
      validFile({
        messageRefId: refOf(of),
        records: of.messages[0]?.records ?? 0,
        senderFile: nameOf(of),
        ...more,
      }),
    );

  return {
    accept,
    answerOf,
    /** How the institution files. */
    channel: (place: ChannelPlace) =>
      saveChannel(desk.ports, {
        ...ASK,
        answerPems: [irs.certificatePem],
        certificatePem: own.certificatePem,
        giin: GIIN,
        keyPem: own.keyPem,
        place,
        receiver: { certificatePem: irs.certificatePem, id: IRS },
      }),
    /** Nobody knows whether a message of it has left the house: nothing of it is sent anew. */
    async expectKept(of: TaxDeclaration) {
      const ask = { ...ASK, declarationId: of.declarationId };
      const cancellation = { ...ask, reason: 'It was wrong.' };
      const unknown = expect.objectContaining({
        code: 'state-conflict',
        message: expect.stringContaining('note its receipt or let it be settled'),
      });
      await expect(submitDeclaration(desk.ports, ask)).rejects.toEqual(unknown);
      await expect(orderGeneration(desk.ports, ask)).rejects.toEqual(unknown);
      await expect(cancelDeclaration(desk.ports, cancellation)).rejects.toEqual(unknown);
      expect(await find(of)).toEqual(of);
    },
    file,
    find,
    generate,
    generated,
    /** From the order to the acceptance. */
    async onFile(made: Which, more: Parameters<typeof validFile>[0] = {}) {
      const { status } = await find(made);
      if (status === 'generated') {
        await submitDeclaration(desk.ports, { ...ASK, declarationId: made.declarationId });
      }
      const sent = await file(made);
      await accept(sent, more);
      return find(made);
    },
    take,
    twoUnderway,
    /** A nil report of a period, submitted. */
    underway: async (...of: Parameters<typeof generated>) =>
      submitDeclaration(desk.ports, { ...ASK, ...(await generated(...of)) }),
    withFiling,
  };
}
