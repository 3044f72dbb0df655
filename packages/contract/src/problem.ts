import { User } from './identity-store/users.ts';
import { Type } from './type.ts';

/** The most faults of one input that a problem lists. */
export const MAX_INPUT_ERRORS = 100;

/** RFC 9457 problem details, with the members that clients of the service read: `code` and `message`. */
export const Problem = Type.Object(
  {
    type: Type.String({ description: 'A URI that names the kind of problem' }),
    title: Type.String(),
    status: Type.Integer(),
    code: Type.Integer({ description: 'The number of the fault; see the error catalogue' }),
    message: Type.String({ description: 'What went wrong, for a developer' }),
    requestId: Type.String({ description: 'Also in the header X-Request-Id; quote it when you ask for help' }),
    errors: Type.Optional(
      Type.Array(
        Type.Object({ pointer: Type.String({ description: 'JSON Pointer to the fault' }), message: Type.String() }),
        { maxItems: MAX_INPUT_ERRORS },
      ),
    ),
    link: Type.Optional(
      Type.Object(
        {
          tenantName: Type.String(),
          returnUrl: Type.Optional(Type.String({ description: 'The site of the company' })),
        },
        { description: 'If a link opens no journey: the tenant of the link' },
      ),
    ),
  },
  { title: 'Problem' },
);

/** An authentication that ran and was refused: a problem, with the user as it is now. It may show the new lock state. */
export const Refusal = Type.Object({ ...Problem.properties, user: Type.Optional(User) }, { title: 'Refusal' });
