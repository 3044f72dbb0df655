import { inOneLine } from '../../kernel/in-one-line.ts';
import type { MailText } from './message-text.ts';
import { resumeText } from './resume-text.ts';
import { LANGUAGES, type Language, RIGHT_TO_LEFT, TEXTS } from './texts.ts';

/** What a message says, from what it is about. Pure. */
export type MessageKind = 'HANDOFF' | 'DECIDED' | 'ASKED_AGAIN' | 'RESUME';
const TEXT_OF = { HANDOFF: 'handoff', DECIDED: 'decided', ASKED_AGAIN: 'askedAgain' } as const;

export type About = {
  readonly kind: MessageKind;
  readonly language: string;
  readonly tenantName: string;
  /** The link, where there is one. */
  readonly url?: string | undefined;
};

export type MessageContent = {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly language: Language;
};

const MAX_TENANT_NAME = 100;

export function writeMail({ kind, language: languageTag, tenantName, url }: About): MessageContent {
  const language = languageOf(languageTag);
  const tenant = inOneLine(tenantName, MAX_TENANT_NAME);
  const texts = kind === 'RESUME' ? resumeText(language, TEXTS[language]) : TEXTS[language][TEXT_OF[kind]];
  const subject = fill(texts.subject, tenant);
  const lead = fill(texts.lead, tenant);
  const text = [lead, ...(url ? [url] : []), ...texts.more, `— ${tenant}`].join('\n\n');
  return { subject, text: `${text}\n`, html: htmlOf({ subject, lead, texts, tenant, url, language }), language };
}

export function writeSms({ language, tenantName, url = '' }: About): string {
  return fill(TEXTS[languageOf(language)].handoffSms, inOneLine(tenantName, MAX_TENANT_NAME)).replace(
    '{url}',
    () => url,
  );
}

/** `de-AT` is German; what nobody has written is English. */
export function languageOf(languageTag: string): Language {
  const [tag = ''] = languageTag.toLowerCase().split('-');
  const first = tag === 'no' || tag === 'nn' ? 'nb' : tag;
  return LANGUAGES.find((each) => each.split('-', 1)[0] === first) ?? 'en';
}

function fill(text: string, tenant: string): string {
  return text.replaceAll('{tenant}', () => tenant);
}

type Parts = {
  subject: string;
  lead: string;
  texts: MailText;
  tenant: string;
  url: string | undefined;
  language: Language;
};

const FONT = "font-family:system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";

/** Tables and styles in their places, because programs for mail know little else. Nothing is loaded from anywhere. */
function htmlOf({ subject, lead, texts, tenant, url, language }: Parts): string {
  const dir = RIGHT_TO_LEFT.has(language) ? 'rtl' : 'ltr';
  const align = dir === 'rtl' ? 'right' : 'left';
  const button =
    url && texts.link
      ? `<p style="margin:28px 0"><a href="${escapeHtml(url)}" style="display:inline-block;padding:14px 24px;border-radius:10px;` +
        `background:#1f5f4a;color:#ffffff;font-weight:600;text-decoration:none">${escapeHtml(texts.link)}</a></p>`
      : '';
  const more = texts.more.map(
    (each) => `<p style="margin:0 0 12px;font-size:15px;color:#4b5754">${escapeHtml(each)}</p>`,
  );
  return `<!doctype html>
<html lang="${language}" dir="${dir}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light">
<title>${escapeHtml(subject)}</title>
</head>
<body style="margin:0;padding:0;background:#f3f5f4">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" dir="${dir}"><tr><td align="center" style="padding:32px 16px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:560px;background:#ffffff;border-radius:16px">
<tr><td align="${align}" style="padding:32px;${FONT};font-size:17px;line-height:1.55;color:#17211e;text-align:${align}">
<p style="margin:0 0 20px;font-size:15px;font-weight:600;color:#1f5f4a">${escapeHtml(tenant)}</p>
<h1 style="margin:0 0 16px;font-size:24px;line-height:1.3;font-weight:700">${escapeHtml(subject)}</h1>
<p style="margin:0 0 16px">${escapeHtml(lead)}</p>
${button}
${more.join('\n')}
</td></tr></table>
</td></tr></table>
</body>
</html>
`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (each) => ENTITIES[each] as string);
}
