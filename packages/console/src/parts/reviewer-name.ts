/** The name of an operator in reviews; the server's `operatorName` does the same. */
export function reviewerName({ name, email }: { name: string; email?: string }): string {
  return `${name} (${email || 'operator'})`;
}
