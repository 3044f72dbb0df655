/** How an operator is shown wherever something says who did it. No two operators of a tenant share an e-mail address. */
export function operatorName({ name, email }: { name: string; email: string }): string {
  return email === '' ? name : `${name} (${email})`;
}

/** Whether a text reads as one: nobody but the operator may use it. */
export function isOperatorName(text: string): boolean {
  return /\([^\s@()]+@[^\s@()]+\)\s*$/.test(text);
}
