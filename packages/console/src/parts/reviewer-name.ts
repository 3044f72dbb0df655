/** How reviews name an operator. */
export function reviewerName({ name, email }: { name: string; email?: string }): string {
  return email ? `${name} (${email})` : name;
}
