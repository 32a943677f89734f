/** The page of a link in a real browser, at a gateway with nothing replaced. */
import fc from 'fast-check';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TenantId } from '#core/kernel';
import {
  dataSchemaOf,
  evaluateForm,
  type FormDefinition,
  type FormVersion,
  linearPatterns,
} from '#slices/forms';
import { type Caller, openRealGateway, type RealGateway } from '../../api/realGateway.ts';
import { hasRedis } from '../../redis/realRedis.ts';
import { anyForm } from '../forms/formCases.ts';
import { FORM } from '../forms/formDesk.ts';
import { jpegOf } from '../recognition/mediaFiles.ts';
import { hasBrowser, openBrowser } from './browser.ts';
import { publishedForm } from './publishForm.ts';

const RUNS = Number(process.env.FUZZ_RUNS ?? 1_000);
const TODAY = '2026-11-26';
const COUNTRIES = ['DE', 'FR', 'TN'];
const PHOTO = jpegOf({ height: 480, width: 640 });
const text = (en: string, fr: string, ar: string) => ({ ar, en, fr });
const label = (en: string, fr: string, ar: string) => ({
  ar: { label: ar },
  en: { label: en },
  fr: { label: fr },
});
const WITH_DOCUMENT = {
  code: 'with_document',
  languages: ['fr', 'ar', 'en'],
  schema: {
    steps: [
      {
        fields: [
          {
            i18n: label('Passport', 'Passeport', 'جواز السفر'),
            id: 'passport',
            kind: 'passport',
            required: true,
            type: 'document',
          },
          {
            i18n: label('Do you live abroad?', 'Vivez-vous à l’étranger ?', 'هل تقيم بالخارج؟'),
            id: 'abroad',
            required: true,
            type: 'boolean',
          },
          {
            i18n: label('In which country?', 'Dans quel pays ?', 'في أي بلد؟'),
            id: 'where',
            required: true,
            type: 'country',
            visible_if: { field: 'abroad', op: 'eq', value: true },
          },
        ],
        id: 'papers',
        title: text('Your papers', 'Vos papiers', 'وثائقكم'),
      },
    ],
  },
} as unknown as FormDefinition;

describe.skipIf(!hasRedis || !hasBrowser)('a link in a browser', () => {
  let gateway: RealGateway;
  let tenantId: TenantId;
  let agent: Caller;
  let browser: Browser;
  let customers = 0;
  const forms = new Map<string, FormVersion>();

  beforeAll(async () => {
    gateway = await openRealGateway('hyper-express');
    tenantId = await gateway.tenant('sandbox');
    agent = await gateway.caller(tenantId, 'agent_l2', 'developer');
    for (const one of [FORM, WITH_DOCUMENT]) {
      forms.set(one.code, await publishedForm(gateway, tenantId, one));
    }
    browser = await openBrowser();
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await gateway?.close();
  });

  async function link(form_code: string): Promise<{ case_id: string; url: string }> {
    const made = await agent.post('/v1/onboarding/sessions', {
      case: {
        external_ref: `client-${++customers}`,
        locale: 'fr-TN',
        subject_type: 'individual',
        workflow_code: 'individual_standard',
      },
      channel: 'web',
      form_code,
    });
    expect(made.status, made.text).toBe(201);
    return made.json();
  }

  interface Seen {
    readonly context: BrowserContext;
    readonly page: Page;
    readonly faults: string[];
    readonly urls: string[];
  }

  async function visit(url: string): Promise<Seen> {
    const context = await browser.newContext({ locale: 'fr-FR' });
    const page = await context.newPage();
    const faults: string[] = [];
    const urls: string[] = [];
    page.on('console', (message) => {
      const isExpected = message.text().includes('401');
      if (message.type() === 'error' && !isExpected) faults.push(message.text());
    });
    page.on('pageerror', (error) => void faults.push(String(error)));
    page.on('request', (request) => void urls.push(request.url()));
    await page.goto(url);
    return { context, faults, page, urls };
  }

  test('a customer fills it in, comes back, and sends it', async () => {
    const { case_id, url } = await link(FORM.code);
    const { context, faults, page, urls } = await visit(url);
    await page.getByRole('heading', { name: 'Votre identité' }).waitFor();
    expect(page.url()).toBe(`${gateway.origin}/o/`);
    await page.getByRole('button', { exact: true, name: 'Continuer' }).click();
    await page.getByRole('alert').getByRole('link').first().waitFor();
    expect(await page.getByLabel('Prénom').getAttribute('aria-invalid')).toBe('true');
    await page.getByLabel('Prénom').fill('Amira');
    await page.getByLabel('Nom', { exact: true }).fill('Ben Salah');
    await page.getByLabel('Date de naissance').fill('1990-05-17');
    await page.getByLabel('Nationalité').selectOption('TN');
    await page.getByRole('button', { exact: true, name: 'Continuer' }).click();
    await page.getByRole('heading', { name: 'Votre activité' }).waitFor();

    await page.reload();
    await page.getByRole('heading', { name: 'Votre identité' }).waitFor();
    expect(await page.getByLabel('Prénom').inputValue()).toBe('Amira');
    await page.getByRole('button', { exact: true, name: 'العربية' }).click();
    const main = page.locator('main');
    expect(await main.getAttribute('dir')).toBe('rtl');
    const direction = 'getComputedStyle(document.querySelector("main")).direction';
    expect(await page.evaluate(direction)).toBe('rtl');
    await page.getByRole('button', { exact: true, name: 'English' }).click();
    await page.getByRole('button', { exact: true, name: 'Continue' }).click();

    expect(await page.getByLabel('Unique identifier').count()).toBe(0);
    await page
      .getByLabel('Status')
      .or(page.locator('#f-status'))
      .first()
      .selectOption('self_employed');
    await page.getByLabel('Unique identifier').fill('1282182W');
    await page.locator('#f-status').selectOption('employee');
    expect(await page.getByLabel('Unique identifier').count()).toBe(0);
    await page.getByLabel('I agree to the verification of my identity').check();
    await page.getByRole('button', { exact: true, name: 'Send' }).click();
    await page.getByRole('heading', { name: 'Thank you' }).waitFor();

    const shown = await agent.get(`/v1/kyc/cases/${case_id}`);
    expect(shown.json()).toMatchObject({
      subject: { dob: '1990-05-17', first_name: 'Amira', last_name: 'Ben Salah' },
    });
    expect(shown.text).not.toContain('1282182W');
    const token = url.split('#')[1] ?? '';
    expect(urls.filter((one) => one.startsWith(gateway.origin))).toHaveLength(urls.length);
    // What is sent over the wire has no fragment.
    expect(urls.map((one) => one.split('#')[0]).filter((one) => one?.includes(token))).toEqual([]);
    expect(faults).toEqual([]);
    await context.close();
  }, 120_000);

  test('a document is sent, and a question appears where its condition holds', async () => {
    const { case_id, url } = await link('with_document');
    const { context, faults, page } = await visit(url);
    await page.getByRole('heading', { name: 'Vos papiers' }).waitFor();
    expect(await page.getByLabel('Dans quel pays ?').count()).toBe(0);
    await page.getByLabel('Passeport').setInputFiles({
      buffer: Buffer.from(PHOTO),
      mimeType: 'image/jpeg',
      name: 'passeport.jpg',
    });
    await page.getByText('Reçu: passeport.jpg').waitFor();
    await page.getByLabel('Oui').check();
    await page.getByLabel('Dans quel pays ?').selectOption('FR');
    await page.getByRole('button', { exact: true, name: 'Envoyer' }).click();
    await page.getByRole('heading', { name: 'Merci' }).waitFor();
    const shown = await agent.get(`/v1/kyc/cases/${case_id}`);
    expect(shown.json()).toMatchObject({ documents: [{ kind: 'passport' }] });
    expect(faults).toEqual([]);
    await context.close();
  }, 120_000);

  test('scanners of mail that fetch it a hundred times open nothing', async () => {
    const { url } = await link(FORM.code);
    const [place = '', token = ''] = url.split('#');
    for (let count = 0; count < 100; count++) {
      const method = count % 2 === 0 ? 'GET' : 'HEAD';
      expect((await fetch(place, { method })).status).toBe(200);
    }
    const own = await fetch(`${gateway.origin}/v1/onboarding/sessions/own`, {
      headers: { Authorization: `Bearer ${token}` },
    });
    expect(await own.json()).toMatchObject({ draft: null, submitted: false });
  });

  test('every link that opens nothing shows one page, in three languages', async () => {
    const voided = await link(FORM.code);
    const newer = await agent.post('/v1/onboarding/sessions', {
      case_id: voided.case_id,
      channel: 'web',
      form_code: FORM.code,
    });
    expect(newer.status, newer.text).toBe(201);
    const pages = new Set<string>();
    for (const url of [voided.url, `${gateway.origin}/o/#unknown`, `${gateway.origin}/o/`]) {
      const { context, faults, page } = await visit(url);
      await page.getByRole('heading', { name: 'Ce lien n’ouvre plus rien' }).waitFor();
      await page.getByRole('button', { exact: true, name: 'Envoyer un nouveau lien' }).click();
      await page.getByText('Si votre dossier est encore ouvert').waitFor();
      expect(
        await page
          .locator('section')
          .evaluateAll((all) => all.map((one) => one.getAttribute('lang'))),
      ).toEqual(['fr', 'ar', 'en']);
      pages.add(await page.locator('main').innerHTML());
      expect(faults).toEqual([]);
      await context.close();
    }
    expect(pages.size).toBe(1);
  }, 120_000);

  test(`${RUNS} random forms and values: the browser finds what the server finds`, async () => {
    const { context, page } = await visit(`${gateway.origin}/o/`);
    const script = await page.locator('script').getAttribute('src');
    const drawn = fc.sample(anyForm, { numRuns: RUNS, seed: 21 }).map(({ schema, values }) => ({
      form: { schema: { ...schema, data: dataSchemaOf(schema, COUNTRIES) } },
      values,
    }));
    // Only what JSON holds comes to a browser or to the server.
    const cases = JSON.parse(JSON.stringify(drawn)) as typeof drawn;
    // As text: the import is the browser's own.
    const given = JSON.stringify({ cases, script, today: TODAY });
    const found = await page.evaluate(`(async ({ cases, script, today }) => {
      const { evaluate } = await import(script);
      return cases.map(({ form, values }) => evaluate(form, values, today));
    })(${given})`);
    const matchesOf = linearPatterns();
    const isCountry = (code: string) => COUNTRIES.includes(code);
    const expected = cases.map(({ form, values }) =>
      evaluateForm(form, values, { isCountry, matchesOf, today: TODAY }),
    );
    expect(found).toEqual(JSON.parse(JSON.stringify(expected)));
    await context.close();
  }, 120_000);
});
