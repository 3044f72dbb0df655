/** The reason why a journey ends if its condition has no value. */
export type ExpressionFault = 'condition' | 'condition_budget';

/** An expression has no value. The message and the part contain only text of the expression, never personal data. */
export class ExpressionError extends Error {
  override readonly name = 'ExpressionError';
  readonly reason: ExpressionFault;
  /** The part of the expression that has no value, such as `data.documents.doc1.age`. */
  part: string | undefined;
  /** The pointer to the expression in the definition: `/steps/2/rules/0/when`. */
  rule: string | undefined;

  constructor(message: string, part?: string, reason: ExpressionFault = 'condition') {
    super(message);
    this.part = part;
    this.reason = reason;
  }
}
