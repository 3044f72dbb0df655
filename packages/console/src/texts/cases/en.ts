/** What reviewers do with a case besides deciding it. */
export const casesEn = {
  'correct.button': 'Correct',
  'correct.of': 'Correct: {field}',
  'correct.title': 'Correct a value',
  'correct.lead':
    'Write what the document says. The value that was read stays in the record, together with your name and your reason. The checks are made again; a person still decides.',
  'correct.value': 'What the document says',
  'correct.date': 'A date: YYYY-MM-DD',
  'correct.why': 'Why',
  'correct.add': 'Add a value that was not read',
  'correct.save': 'Save and check again',
  'correct.done': 'The value was corrected, and the case was checked again.',
  'correct.running': 'The value was corrected. Some steps are running again; the case comes back when they are done.',
  'correct.changed': 'Somebody else corrected this value. Look at it again.',
  'correct.tag': 'corrected',
  'correct.wasRead': 'Read',
  'correct.by': '{name}, {time}: {comment}',
  'correct.PASS': 'With the corrected values, the rules would accept this case.',
  'correct.FAIL': 'With the corrected values, the rules would decline this case.',
  'correct.REVIEW': 'With the corrected values, the rules still leave this case to a person.',
  'reopen.button': 'Reopen',
  'reopen.title': 'Reopen this case',
  'reopen.lead':
    'The result no longer stands: the verification waits for a reviewer again. Your system is told by a webhook, and once more when somebody decides.',
  'reopen.why': 'Why',
  'reviews.REOPENED': 'Reopened',
} as const;

export type CaseTexts = Record<keyof typeof casesEn, string>;
