import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LANGUAGES, TEXTS } from './texts.ts';
import { languageOf, writeMail, writeSms } from './write-message.ts';

const URL_SENT = 'https://acme.fir.example.com/api/process-server/startProcess?pi=01J&c=acme.x';
const about = { kind: 'HANDOFF', language: 'en', tenantName: 'Acme', url: URL_SENT } as const;

describe('the text of a message', () => {
  it('the text of a message has every part in every language, with its placeholders', () => {
    for (const language of LANGUAGES) {
      const { handoff, decided, handoffSms } = TEXTS[language];
      for (const { subject, lead, more } of [handoff, decided]) {
        assert.ok(subject.includes('{tenant}') && lead.includes('{tenant}') && more.length === 2, language);
      }
      assert.ok(handoff.link && !decided.link, language);
      assert.ok(handoff.lead.includes('5') && handoffSms.includes('5') && handoffSms.includes('{url}'), language);
    }
    assert.equal(new Set(LANGUAGES.map((each) => TEXTS[each].decided.lead)).size, LANGUAGES.length);
  });

  it('the text of a message is in the language of the page, from right to left if the language is', () => {
    const arabic = writeMail({ ...about, language: 'ar-EG' });
    assert.equal(arabic.language, 'ar');
    assert.match(arabic.html, /<html lang="ar" dir="rtl">/);
    assert.match(writeMail({ ...about, language: 'de-AT' }).subject, /^Ihre Prüfung für Acme/);
    assert.deepEqual(['xx', '', 'zh-CN', 'no', 'pt-BR'].map(languageOf), ['en', 'en', 'zh-Hans', 'nb', 'pt']);
  });

  it('the text of a message contains the link as text and as a button; that of a decision contains neither a link nor the decision', () => {
    const { text, html } = writeMail(about);
    assert.ok(text.includes(URL_SENT) && html.includes(URL_SENT.replaceAll('&', '&amp;')));
    const decided = writeMail({ ...about, kind: 'DECIDED', url: undefined });
    assert.doesNotMatch(decided.html, /href|https?:/);
    assert.doesNotMatch(decided.text, /https?:|fail|accept|declin|reject|success/i);
    assert.ok(writeSms(about).endsWith(URL_SENT));
  });

  it('the text of a message shows the name of a tenant as plain text, whatever it contains', () => {
    const { subject, text, html } = writeMail({ ...about, tenantName: 'A&B <i>$&</i>\r\nBcc: x@example.com' });
    assert.ok(!/[\r\n]/.test(subject) && subject.includes('A&B <i>$&</i> Bcc: x@example.com'));
    assert.doesNotMatch(writeMail({ ...about, tenantName: 'A\u202eB\u2066' }).subject, /[\u202e\u2066]/);
    assert.ok(text.includes('A&B <i>$&</i> Bcc'));
    assert.ok(html.includes('A&amp;B &lt;i&gt;$&amp;&lt;/i&gt;') && !html.includes('<i>'));
  });
});
