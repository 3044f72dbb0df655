import { NativeSelect, Textarea } from '@mantine/core';
import { useT } from '../texts/texts.tsx';

const EXPIRES = ['P30D', 'P90D', 'P365D', 'P1825D'] as const;

type ReasonAndEndProps = {
  note: string;
  setNote(note: string): void;
  expireAfter: string;
  setExpireAfter(expireAfter: string): void;
};

/** The reason and the expiry of a watchlist entry; both are required. */
export function ReasonAndEnd({ note, setNote, expireAfter, setExpireAfter }: ReasonAndEndProps) {
  const t = useT();
  return (
    <>
      <Textarea
        label={t('watchlists.reason')}
        value={note}
        onChange={(event) => setNote(event.currentTarget.value)}
        maxLength={1000}
        required
      />
      <NativeSelect
        label={t('keys.expires')}
        value={expireAfter}
        data={EXPIRES.map((each) => ({ value: each, label: t('usage.days', { n: Number(each.slice(1, -1)) }) }))}
        onChange={(event) => setExpireAfter(event.currentTarget.value)}
      />
    </>
  );
}
