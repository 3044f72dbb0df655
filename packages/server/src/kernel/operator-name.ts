/** How an operator is shown wherever something says who did it. No two operators of a tenant share an e-mail address. */
export function operatorName({ name, email }: { name: string; email: string }): string {
  return `${name} (${email === '' ? NO_EMAIL : email})`;
}

/** Names have no parentheses, so an operator called `API Key: Payroll` does not read as that key. */
const NO_EMAIL = 'operator';

/** Whether a text reads as one: nobody but the operator may use it. Marks that nobody sees, and wide letters, change nothing. */
export function isOperatorName(text: string): boolean {
  const visible = text.normalize('NFKC').replace(/\p{Cf}/gu, '');
  return /\(\s*([^\s@()]+@[^\s@()]+|operator)\s*\)/i.test(visible);
}
