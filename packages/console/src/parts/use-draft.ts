import { useState } from 'react';
import { useLeaveGuard } from './use-leave-guard.ts';

type Stored<T> = { fields: T; lastUpdatedDtm: string | undefined };

/**
 * The fields of a stored object while they are edited. A change by somebody else never replaces typed input:
 * `ifLastUpdatedDtm` then stays that of the version that the edit began with, so the server refuses the change and the
 * difference is shown. Unedited fields follow the stored version, and so does the date if other members were changed.
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
    /** The fields with which the edit began. */
    storedFields: base.fields,
    ifLastUpdatedDtm: base.lastUpdatedDtm,
    /** Continues with these fields, which are now stored. */
    follow,
    /** Discards the edit. */
    reset: () => setFields(base.fields),
  };
}

function isSame(one: object, other: object): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
