import { escapeHtml } from '../kernel/escape.ts';
import { inOneLine } from '../kernel/in-one-line.ts';

/** An e-mail to an operator: a few words around one link. */
export type OperatorMail = { subject: string; text: string; html: string; language: string };

/** The texts of an e-mail. `{tenant}` stands for the name of the tenant. */
export type MailWords = { subject: string; lead: string; button: string; end: string };

export type MailTexts = Readonly<Record<string, MailWords>>;

const MAX_TENANT_NAME = 100;

/** Writes the e-mail in the language, or in English if there is no text in that language. */
export function writeOperatorMail(
  texts: MailTexts,
  { language, tenantName, url }: { language: string; tenantName: string; url: string },
): OperatorMail {
  const usedLanguage = Object.hasOwn(texts, language) ? language : 'en';
  const { subject, lead, button, end } = texts[usedLanguage] as MailWords;
  const tenant = inOneLine(tenantName, MAX_TENANT_NAME);
  const fill = (words: string) => words.replaceAll('{tenant}', () => tenant);
  const dir = usedLanguage === 'ar' ? 'rtl' : 'ltr';
  const html =
    `<!doctype html><html lang="${usedLanguage}" dir="${dir}"><body style="font-family:sans-serif"><p>${escapeHtml(fill(lead))}</p>` +
    `<p><a href="${escapeHtml(url)}">${button}</a></p><p>${escapeHtml(fill(end))}</p></body></html>`;
  return { subject: fill(subject), text: `${fill(lead)}\n\n${url}\n\n${fill(end)}\n`, html, language: usedLanguage };
}
