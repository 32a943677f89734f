/** What people may do with an alert, by its state, their role and who they are. */
import { describe, expect, test } from 'vitest';
import type { Principal } from '#core/identity';
import {
  type Alert,
  assignAlert,
  type CausePorts,
  closeAlert,
  confirmAlert,
  decideAlert,
  editAlert,
  escalateAlert,
  findAlert,
  markOverdue,
  noteAlert,
  notesOf,
  releaseAlert,
  reopenAlert,
  reviewAlert,
  subjectsOf,
} from '#slices/alerts';
import { caller, draftOf, idOf, machine, type Name, openDesk, START, TENANT } from './desk.ts';

const WHY = 'Another date and another place of birth';
const HOUR_MS = 3_600_000;
type Desk = ReturnType<typeof openDesk>;

const SANCTIONED = draftOf(1);
const POLITICIAN = draftOf(2, { typology: 'MATCH_PEP' });

const at = (draft: typeof SANCTIONED, who: Name | Principal) => ({
  alertId: idOf(draft),
  principal: typeof who === 'string' ? caller(who) : who,
  tenantId: TENANT,
});

const falsePositive = {
  comment: WHY,
  reasonCode: 'dob_differs',
  status: 'closed_false_positive',
} as const;

async function inReview(desk: Desk, draft: typeof SANCTIONED, who: Name): Promise<Alert> {
  await assignAlert(desk.ports, at(draft, who));
  return reviewAlert(desk.ports, at(draft, who));
}

async function opened(settings: Parameters<typeof openDesk>[0] = {}): Promise<Desk> {
  const desk = openDesk(settings);
  await desk.raise(SANCTIONED, POLITICIAN);
  return desk;
}

describe('on the way to an outcome', () => {
  test('a free alert is taken, looked at and closed by one person', async () => {
    const desk = await opened();
    expect(await inReview(desk, POLITICIAN, 'anna')).toMatchObject({
      assignee: 'person:anna',
      severity: 'High',
      status: 'in_review',
      version: 3,
    });
    const closed = await closeAlert(desk.ports, { ...at(POLITICIAN, 'anna'), ...falsePositive });
    expect(closed).toMatchObject({
      deadline: 'met',
      outcome: { by: 'person:anna', comment: WHY, reasonCode: 'dob_differs' },
      status: 'closed_false_positive',
    });
    expect(closed).not.toHaveProperty('proposal');
    const again = closeAlert(desk.ports, { ...at(POLITICIAN, 'anna'), ...falsePositive });
    await expect(again).rejects.toMatchObject({ code: 'state-conflict' });
  });

  test('an agent takes only what is free; a supervisor gives it to others', async () => {
    const desk = await opened();
    await assignAlert(desk.ports, at(SANCTIONED, 'anna'));
    const taken = assignAlert(desk.ports, at(SANCTIONED, 'ben'));
    await expect(taken).rejects.toMatchObject({ code: 'role-insufficient' });
    const given = assignAlert(desk.ports, { ...at(SANCTIONED, 'anna'), to: 'ben' });
    await expect(given).rejects.toMatchObject({ code: 'role-insufficient' });
    const ben = await assignAlert(desk.ports, { ...at(SANCTIONED, 'lena'), to: 'ben' });
    expect(ben.assignee).toBe('person:ben');
    const nobody = assignAlert(desk.ports, { ...at(SANCTIONED, 'lena'), to: 'nobody' });
    await expect(nobody).rejects.toMatchObject({
      code: 'body-invalid',
      violations: [{ pointer: '/assignee' }],
    });
    const foreign = releaseAlert(desk.ports, at(SANCTIONED, 'anna'));
    await expect(foreign).rejects.toMatchObject({ code: 'not-assignee' });
    const free = await releaseAlert(desk.ports, at(SANCTIONED, 'ben'));
    expect(free).toMatchObject({ status: 'open' });
    expect(free).not.toHaveProperty('assignee');
  });

  test('only the assignee looks at it and hands it up; a supervisor takes it then', async () => {
    const desk = await opened();
    await assignAlert(desk.ports, at(SANCTIONED, 'anna'));
    const other = reviewAlert(desk.ports, at(SANCTIONED, 'lena'));
    await expect(other).rejects.toMatchObject({ code: 'not-assignee' });
    await reviewAlert(desk.ports, at(SANCTIONED, 'anna'));
    const up = await escalateAlert(desk.ports, { ...at(SANCTIONED, 'anna'), comment: WHY });
    expect(up).toMatchObject({ status: 'escalated' });
    expect(up).not.toHaveProperty('assignee');
    const agent = assignAlert(desk.ports, at(SANCTIONED, 'ben'));
    await expect(agent).rejects.toMatchObject({ code: 'role-insufficient' });
    const taken = await assignAlert(desk.ports, at(SANCTIONED, 'lena'));
    expect(taken).toMatchObject({ assignee: 'person:lena', status: 'escalated' });
  });

  test.each(['close', 'escalate', 'release', 'confirm', 'reopen'] as const)(
    'an open alert does not take: %s',
    async (step) => {
      const { ports } = await opened();
      const who = at(SANCTIONED, 'mia');
      const steps = {
        close: () => closeAlert(ports, { ...who, ...falsePositive }),
        confirm: () => confirmAlert(ports, { ...who, isConfirmed: true }),
        escalate: () => escalateAlert(ports, { ...who, comment: WHY }),
        release: () => releaseAlert(ports, who),
        reopen: () => reopenAlert(ports, { ...who, comment: WHY }),
      };
      await expect(steps[step]()).rejects.toMatchObject({ code: 'state-conflict' });
    },
  );

  test('notes and a changed severity leave the state as it is', async () => {
    const desk = await opened();
    await noteAlert(desk.ports, { ...at(SANCTIONED, 'anna'), text: 'first' });
    await noteAlert(desk.ports, { ...at(SANCTIONED, machine), text: 'second' });
    const agent = editAlert(desk.ports, { ...at(SANCTIONED, 'anna'), severity: 'Low' });
    await expect(agent).rejects.toMatchObject({ code: 'role-insufficient' });
    const edited = await editAlert(desk.ports, { ...at(SANCTIONED, 'lena'), severity: 'Low' });
    expect(edited).toMatchObject({ severity: 'Low', status: 'open', version: 4 });
    const notes = await notesOf(desk.ports, { alertId: idOf(SANCTIONED), tenantId: TENANT });
    expect(notes.map(({ by, text }) => [by, text])).toEqual([
      ['person:anna', 'first'],
      ['key:key-1', 'second'],
    ]);
  });

  test('another version than the caller has seen is refused', async () => {
    const { ports } = await opened();
    const ask = { ...at(SANCTIONED, 'anna'), isExpected: (version: number) => version === 7 };
    await expect(assignAlert(ports, ask)).rejects.toMatchObject({ code: 'precondition-failed' });
  });
});

describe('how it ends', () => {
  test.each([
    ['', 'comment-required'],
    ['   ', 'comment-required'],
    ['not the same', 'comment-too-short'],
  ])('a false positive with the comment %j is refused: %s', async (comment, code) => {
    const desk = await opened();
    await inReview(desk, POLITICIAN, 'anna');
    const ask = { ...at(POLITICIAN, 'anna'), ...falsePositive, comment };
    await expect(closeAlert(desk.ports, ask)).rejects.toMatchObject({ code });
  });

  test('a false positive has a reason as a code', async () => {
    const desk = await opened();
    await inReview(desk, POLITICIAN, 'anna');
    const ask = { ...at(POLITICIAN, 'anna'), comment: WHY, status: falsePositive.status };
    await expect(closeAlert(desk.ports, ask)).rejects.toMatchObject({
      violations: [{ code: 'missing', pointer: '/reason_code' }],
    });
  });

  test('an agent does not say that a match is one', async () => {
    const desk = await opened();
    await inReview(desk, POLITICIAN, 'anna');
    const ask = {
      ...at(POLITICIAN, 'anna'),
      comment: WHY,
      status: 'closed_true_positive' as const,
    };
    await expect(closeAlert(desk.ports, ask)).rejects.toMatchObject({ code: 'role-insufficient' });
  });

  test('a hit of a sanctions list is closed by two persons', async () => {
    const desk = await opened();
    await inReview(desk, SANCTIONED, 'anna');
    const proposed = await closeAlert(desk.ports, { ...at(SANCTIONED, 'anna'), ...falsePositive });
    expect(proposed).toMatchObject({
      proposal: { by: 'person:anna', status: 'closed_false_positive' },
      status: 'in_review',
    });
    const twice = closeAlert(desk.ports, { ...at(SANCTIONED, 'anna'), ...falsePositive });
    await expect(twice).rejects.toMatchObject({ code: 'state-conflict' });
    const agent = confirmAlert(desk.ports, { ...at(SANCTIONED, 'ben'), isConfirmed: true });
    await expect(agent).rejects.toMatchObject({ code: 'role-insufficient' });
    const key = confirmAlert(desk.ports, { ...at(SANCTIONED, machine), isConfirmed: true });
    await expect(key).rejects.toMatchObject({ code: 'person-required' });
    const silent = confirmAlert(desk.ports, { ...at(SANCTIONED, 'lena'), isConfirmed: false });
    await expect(silent).rejects.toMatchObject({ code: 'comment-required' });
    const closed = await confirmAlert(desk.ports, { ...at(SANCTIONED, 'lena'), isConfirmed: true });
    expect(closed).toMatchObject({
      outcome: { by: 'person:anna', confirmedBy: 'person:lena' },
      status: 'closed_false_positive',
    });
  });

  test('nobody confirms what they have proposed themselves', async () => {
    const desk = await opened();
    await inReview(desk, SANCTIONED, 'lena');
    const close = { comment: WHY, status: 'closed_true_positive' } as const;
    await closeAlert(desk.ports, { ...at(SANCTIONED, 'lena'), ...close });
    const own = confirmAlert(desk.ports, { ...at(SANCTIONED, 'lena'), isConfirmed: true });
    await expect(own).rejects.toMatchObject({ code: 'second-person-required' });
    const refused = await confirmAlert(desk.ports, {
      ...at(SANCTIONED, 'carl'),
      comment: 'The passport is another one',
      isConfirmed: false,
    });
    expect(refused).toMatchObject({ assignee: 'person:lena', status: 'in_review' });
    expect(refused).not.toHaveProperty('proposal');
  });

  test('a key cannot be one of two persons', async () => {
    const desk = await opened();
    await assignAlert(desk.ports, at(SANCTIONED, machine));
    await reviewAlert(desk.ports, at(SANCTIONED, machine));
    const ask = { ...at(SANCTIONED, machine), ...falsePositive };
    await expect(closeAlert(desk.ports, ask)).rejects.toMatchObject({ code: 'person-required' });
  });

  test.each([
    ['none', 'closed_false_positive', undefined],
    ['all', 'closed_false_positive', 'person:lena'],
    ['none', 'closed_true_positive', 'person:lena'],
  ] as const)('with four eyes for %s, %s', async (fourEyes, status, by) => {
    const desk = await opened({ fourEyes });
    await inReview(desk, SANCTIONED, 'lena');
    const ask = { ...at(SANCTIONED, 'lena'), ...falsePositive, status };
    expect((await closeAlert(desk.ports, ask)).proposal?.by).toBe(by);
  });

  test('an officer opens it again, and it counts as theirs', async () => {
    const desk = await opened();
    await inReview(desk, POLITICIAN, 'anna');
    await closeAlert(desk.ports, { ...at(POLITICIAN, 'anna'), ...falsePositive });
    const agent = async () => reopenAlert(desk.ports, { ...at(POLITICIAN, 'lena'), comment: WHY });
    await expect(agent()).rejects.toMatchObject({ code: 'role-insufficient' });
    // A token gives no role that the register does not.
    const token = { ...caller('lena'), roles: ['mlro', 'agent_l2'] as const };
    const lifted = reopenAlert(desk.ports, { ...at(POLITICIAN, token), comment: WHY });
    await expect(lifted).rejects.toMatchObject({ code: 'role-insufficient' });
    const again = await reopenAlert(desk.ports, { ...at(POLITICIAN, 'mia'), comment: WHY });
    expect(again).toMatchObject({ assignee: 'person:mia', status: 'in_review' });
    expect(again).not.toHaveProperty('outcome');
  });
});

describe('its time', () => {
  test('what is not closed in time is marked once', async () => {
    const desk = await opened();
    desk.moveTo(START + 4 * HOUR_MS + 1);
    expect(await markOverdue(desk.ports)).toEqual({ altered: 0, overdue: 1 });
    expect(await markOverdue(desk.ports)).toEqual({ altered: 0, overdue: 0 });
    const place = { alertId: idOf(SANCTIONED), tenantId: TENANT };
    expect(await findAlert(desk.ports, place)).toMatchObject({ deadline: 'breached', version: 2 });
    desk.moveTo(START + 25 * HOUR_MS);
    expect(await markOverdue(desk.ports)).toEqual({ altered: 0, overdue: 1 });
  });

  test('a later time starts anew', async () => {
    const desk = await opened();
    desk.moveTo(START + 5 * HOUR_MS);
    await markOverdue(desk.ports);
    const dueAt = (START + 9 * HOUR_MS) as never;
    await editAlert(desk.ports, { ...at(SANCTIONED, 'lena'), dueAt });
    expect(await markOverdue(desk.ports)).toEqual({ altered: 0, overdue: 0 });
    desk.moveTo(START + 10 * HOUR_MS);
    expect(await markOverdue(desk.ports)).toEqual({ altered: 0, overdue: 1 });
  });
});

describe('new alerts shared out', () => {
  test('go to who has the fewest open ones of the role', async () => {
    const desk = openDesk({ assignedTo: 'agent_l1', fourEyes: 'none' });
    const drafts = [1, 2, 3].map((n) => draftOf(n, { typology: 'MATCH_PEP' }));
    await desk.raise(...drafts);
    const assigneeOf = async (draft: typeof SANCTIONED) =>
      (await findAlert(desk.ports, { alertId: idOf(draft), tenantId: TENANT })).assignee;
    expect(await Promise.all(drafts.map(assigneeOf))).toEqual([
      'person:anna',
      'person:ben',
      'person:anna',
    ]);
    for (const draft of [drafts[0], drafts[2]]) {
      const { reasonCode, comment } = falsePositive;
      await decideAlert(desk.ports, {
        ...at(draft ?? SANCTIONED, 'anna'),
        comment,
        decision: 'false_positive',
        reasonCode,
      });
    }
    await desk.raise(draftOf(4));
    expect(await assigneeOf(draftOf(4))).toBe('person:anna');
    const nobody = openDesk();
    await nobody.raise(draftOf(1));
    const free = await findAlert(nobody.ports, { alertId: idOf(draftOf(1)), tenantId: TENANT });
    expect(free.status).toBe('open');
  });
});

describe('an alert that a slice to the right raises', () => {
  const cause = { findingId: 'version-2', kind: 'list_change', subjectId: 'customer-1' } as const;

  test('is one for each finding, and shows what that slice knows of it', async () => {
    const desk = openDesk();
    const draft = draftOf(1, { cause, type: 'list_change' });
    await desk.raise(draft, draft, draftOf(2, { cause: { ...cause, findingId: 'version-3' } }));
    const alert = await findAlert(desk.ports, { alertId: idOf(draft), tenantId: TENANT });
    expect(alert).toMatchObject({ subjectId: 'customer-1', type: 'list_change' });
    const subject = { hits: [], isErased: false, names: ['anna berg'] };
    const asked: unknown[] = [];
    const answered = {
      listChangeSubject: async (of: { readonly findingId: string }) => {
        asked.push(of);
        return of.findingId === 'version-2' ? subject : undefined;
      },
      results: {},
    } as unknown as CausePorts;
    expect(await subjectsOf(answered, [alert])(alert)).toEqual(subject);
    expect(asked).toEqual([{ ...cause, tenantId: TENANT }]);
    const other = { alertId: 'a', cause: { ...cause, findingId: 'gone' }, tenantId: TENANT };
    expect(await subjectsOf(answered, [other])(other)).toMatchObject({ fault: 'not-found' });
  });
});
