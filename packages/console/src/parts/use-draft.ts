import { useState } from 'react';
import { useLeaveGuard } from './use-leave-guard.ts';

type Stored<T> = { fields: T; lastUpdatedDtm: string | undefined };

/**
 * The fields of a stored object while they are edited. What somebody else stores meanwhile replaces nothing that was typed:
 * `ifLastUpdatedDtm` then is that of the fields the operator began with, so the server refuses the change and the difference
 * is shown. Fields that nobody has edited follow what is stored, and so does the date if other members were changed.
 */
export function useDraft<T extends object>(stored: Stored<T>) {
  const [base, setBase] = useState(stored);
  const [fields, setFields] = useState(stored.fields);
  const isChanged = !isSame(fields, base.fields);
  useLeaveGuard(isChanged);
  const follow = (next: Stored<T>) => {
    setBase(next);
    setFields(next.fields);
  };
  if (base.lastUpdatedDtm !== stored.lastUpdatedDtm) {
    if (!isChanged) follow(stored);
    else if (isSame(stored.fields, base.fields)) setBase(stored);
  }
  return {
    fields,
    change: (more: Partial<T>) => setFields({ ...fields, ...more }),
    isChanged,
    /** What the operator began with. */
    storedFields: base.fields,
    ifLastUpdatedDtm: base.lastUpdatedDtm,
    /** Goes on with these, which are stored now. */
    follow,
    /** Gives the own changes up. */
    reset: () => setFields(base.fields),
  };
}

function isSame(one: object, other: object): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
