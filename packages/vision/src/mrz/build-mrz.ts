import { checkDigit } from './check-digit.ts';
import { FORMATS, type Format, type FormatName, type MrzFieldName } from './formats.ts';
import { transliterate } from './transliterate.ts';

export type MrzContent = {
  readonly documentCode: string;
  readonly issuer: string;
  readonly documentNumber: string;
  readonly nationality: string;
  readonly birthDate: string;
  readonly sex: string;
  readonly expiryDate: string;
  readonly surname: string;
  readonly givenNames: string;
  readonly optional?: string;
  readonly optional2?: string;
};

/** Writes a machine readable zone with all its check digits. */
export function buildMrz(name: Exclude<FormatName, 'IDFRA'>, content: MrzContent): string[] {
  const format: Format = FORMATS[name];
  const lines = Array.from({ length: format.lines }, () => '<'.repeat(format.length));
  for (const { name: field, line, from, to } of format.fields) {
    lines[line] = put(
      lines[line] as string,
      from,
      fieldText(field, content)
        .padEnd(to - from, '<')
        .slice(0, to - from),
    );
  }
  for (const { over, at } of format.checks) {
    const text = over.map(({ line, from, to }) => (lines[line] as string).slice(from, to)).join('');
    lines[at.line] = put(lines[at.line] as string, at.position, checkDigit(text));
  }
  return lines;
}

function fieldText(field: MrzFieldName, content: MrzContent): string {
  if (field === 'names') {
    const zone = (name: string): string => transliterate(name).replaceAll(' ', '<');
    return `${zone(content.surname)}<<${zone(content.givenNames)}`;
  }
  if (field === 'sex') return content.sex === 'X' ? '<' : content.sex;
  return (content[field] ?? '').toUpperCase().replace(/[^A-Z0-9]/g, '<');
}

function put(text: string, at: number, piece: string): string {
  return text.slice(0, at) + piece + text.slice(at + piece.length);
}
