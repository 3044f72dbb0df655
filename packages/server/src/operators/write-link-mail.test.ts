import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { writeLinkMail } from './write-link-mail.ts';

const url = 'https://acme.fir.example.com/console/#email=code';

describe('the mail with a link to sign in', () => {
  it('the mail with a link to sign in shows the name of a tenant as plain text, whatever it contains, in one line and in its direction', () => {
    const tenantName = "A&B <i>$&$'</i>\r\nBcc: x@example.com \u202e\u0007evil";
    const { subject, text, html } = writeLinkMail({ language: 'en', tenantName, url });
    assert.equal(subject, "Your link to sign in to A&B <i>$&$'</i> Bcc: x@example.com  evil");
    assert.ok(text.includes("A&B <i>$&$'</i> Bcc"));
    assert.ok(html.includes('A&amp;B &lt;i&gt;$&amp;$&#39;&lt;/i&gt;') && !html.includes('<i>'));
  });
});
