/** The name of an operator as the author of a change. No two operators of a tenant share an e-mail address. */
export function operatorName({ name, email }: { name: string; email: string }): string {
  return `${name} (${email === '' ? NO_EMAIL : email})`;
}

/** The parentheses tell an operator called `API Key: Payroll` from that key; names cannot contain them. */
const NO_EMAIL = 'operator';

/** Whether a text looks like the name of an operator, which only operators have. Invisible marks and wide letters do not hide it. */
export function isOperatorName(text: string): boolean {
  const visible = text.normalize('NFKC').replace(/\p{Cf}/gu, '');
  return /\(\s*([^\s@()]+@[^\s@()]+|operator)\s*\)/i.test(visible);
}
