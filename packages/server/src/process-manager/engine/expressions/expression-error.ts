/** Why a journey ends whose condition has no value. */
export type ExpressionFault = 'condition' | 'condition_budget';

/** An expression has no value. The message and the part hold text of the expression alone, never a value of a person. */
export class ExpressionError extends Error {
  override readonly name = 'ExpressionError';
  readonly reason: ExpressionFault;
  /** The part of the expression that has no value, such as `data.documents.doc1.age`. */
  part: string | undefined;
  /** Where in the definition the expression stands: `/steps/2/rules/0/when`. */
  rule: string | undefined;

  constructor(message: string, part?: string, reason: ExpressionFault = 'condition') {
    super(message);
    this.part = part;
    this.reason = reason;
  }
}
