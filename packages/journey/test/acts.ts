import type { Page } from 'playwright-core';

/** Actions of an end user, and what they see. */
export const heading = (page: Page, text: string | RegExp) =>
  page.getByRole('heading', { level: 1, name: text }).waitFor();
export const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).click();

/** Opens the link and goes past the start page. */
export async function begin(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await heading(page, 'Let’s verify your identity');
  await press(page, 'Start');
}

export async function fill(page: Page): Promise<void> {
  await page.getByLabel('First name').fill('Ada');
  await page.getByLabel('E-mail address').fill('ada@example.com');
  await page.getByLabel('I have read the terms').check();
}
