import type { CaseTexts } from './en.ts';

export const casesDe: CaseTexts = {
  'correct.button': 'Berichtigen',
  'correct.of': 'Berichtigen: {field}',
  'correct.title': 'Einen Wert berichtigen',
  'correct.lead':
    'Schreiben Sie, was im Dokument steht. Der gelesene Wert bleibt erhalten, zusammen mit Ihrem Namen und Ihrer Begründung. Die Prüfungen laufen erneut; entscheiden muss weiterhin ein Mensch.',
  'correct.value': 'Was im Dokument steht',
  'correct.date': 'Ein Datum: JJJJ-MM-TT',
  'correct.why': 'Begründung',
  'correct.add': 'Einen nicht gelesenen Wert ergänzen',
  'correct.save': 'Speichern und erneut prüfen',
  'correct.done': 'Der Wert wurde berichtigt und der Fall erneut geprüft.',
  'correct.running':
    'Der Wert wurde berichtigt. Einige Schritte laufen erneut; danach erscheint der Fall wieder in der Liste.',
  'correct.changed': 'Jemand anderes hat diesen Wert berichtigt. Bitte sehen Sie ihn sich noch einmal an.',
  'correct.tag': 'berichtigt',
  'correct.wasRead': 'Gelesen',
  'correct.by': '{name}, {time}: {comment}',
  'correct.PASS': 'Mit den berichtigten Werten würden die Regeln diesen Fall annehmen.',
  'correct.FAIL': 'Mit den berichtigten Werten würden die Regeln diesen Fall ablehnen.',
  'correct.REVIEW': 'Auch mit den berichtigten Werten überlassen die Regeln diesen Fall einem Menschen.',
  'reopen.button': 'Wieder öffnen',
  'reopen.title': 'Diesen Fall wieder öffnen',
  'reopen.lead':
    'Das Ergebnis gilt dann nicht mehr: Die Prüfung wartet wieder auf eine Entscheidung. Ihr System erfährt das über einen Webhook, und noch einmal, sobald entschieden ist.',
  'reopen.why': 'Begründung',
  'reviews.REOPENED': 'Wieder geöffnet',
  'views.title': 'Gespeicherte Ansichten',
  'views.name': 'Name dieser Ansicht',
  'views.save': 'Ansicht speichern',
  'views.remove': 'Ansicht löschen',
  'priority.title': 'Dringlichkeit',
  'priority.NORMAL': 'Normal',
  'priority.HIGH': 'Hoch',
  'priority.URGENT': 'Dringend',
  'priority.set': 'Dringlichkeit: {priority}',
  'due.title': 'Frist',
  'due.overdue': 'Überfällig',
  'due.soon': 'Bald fällig',
  'due.at': 'Fällig: {time}',
  'due.all': 'Alle',
  'conflict.title': 'Jemand anderes hat dies geändert',
  'conflict.lead':
    'Nachdem Sie es geöffnet haben, hat jemand anderes gespeichert. Zeilen mit − sind dessen Stand, Zeilen mit + Ihrer.',
  'definitions.notJson': 'Diese Datei ist kein JSON.',
  'hidden.lead':
    'Werte, Bilder, Notizen und Verknüpfungen sind ausgeblendet, bis Sie danach fragen. Jede Ansicht wird unter Ihrem Namen festgehalten.',
  'hidden.show': 'Personenbezogene Daten zeigen',
  'settings.reviewDueHours': 'Fälle entscheiden innerhalb von (Stunden)',
  'settings.reviewDueHoursHint':
    'Fälle, die länger warten, werden als überfällig gekennzeichnet. 0 bedeutet: keine Frist.',
};
