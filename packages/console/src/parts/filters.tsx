import { Group, Pill, TextInput } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useT } from '../texts/texts.tsx';

/** The filters of a list, which are stored in its address. */
export function useFilters<N extends string>(): {
  filters: Partial<Record<N, string>>;
  set(changed: Partial<Record<N, string | undefined>>): void;
} {
  const navigate = useNavigate();
  const search: object = useSearch({ strict: false });
  const filters = search as Partial<Record<N, string>>;
  const set = (changed: object) =>
    navigate({ to: '.', search: (before: object) => ({ ...before, ...changed, page: undefined }) } as never);
  return { filters, set };
}

export type ActiveFilter = { name: string; label: string; value: string | undefined };

/** The active filters of a list, each with a button that removes it. */
export function FilterChips({ active }: { active: readonly ActiveFilter[] }) {
  const t = useT();
  const { set } = useFilters();
  const chips = active.filter(({ value }) => value);
  if (chips.length === 0) return null;
  return (
    <Group gap="xs" role="group" aria-label={t('list.filters')}>
      {chips.map(({ name, label, value }) => (
        <Pill
          key={name}
          withRemoveButton
          onRemove={() => set({ [name]: undefined })}
          removeButtonProps={{ 'aria-label': `${t('list.removeFilter')}: ${label}`, tabIndex: 0, 'aria-hidden': false }}
        >
          {label}: <bdi>{value}</bdi>
        </Pill>
      ))}
    </Group>
  );
}

type SearchFieldProps = {
  name: string;
  label: string;
  placeholder?: string;
  description?: string;
  /** Resolves to true if the words have led to another page, so that they are no filter. */
  onWords?(words: string): Promise<boolean>;
};

/** A text filter, applied when the field loses the focus or Enter is pressed. */
export function SearchField({ name, label, placeholder, description, onWords }: SearchFieldProps) {
  const { filters, set } = useFilters();
  const value = filters[name as never] ?? ('' as string);
  const [words, setWords] = useState<string>(value);
  useEffect(() => setWords(value), [value]);
  const take = async () => {
    if (words !== value && !(await onWords?.(words))) set({ [name]: words || undefined });
  };
  return (
    <form
      className="grow"
      onSubmit={(event) => {
        event.preventDefault();
        take();
      }}
    >
      <TextInput
        type="search"
        label={label}
        placeholder={placeholder}
        description={description}
        value={words}
        onChange={(event) => setWords(event.currentTarget.value)}
        onBlur={take}
        maxLength={255}
      />
    </form>
  );
}

/** The filter by name that most lists have, with `%` as a wildcard. */
export function NameFilter() {
  const t = useT();
  const { filters } = useFilters<'name'>();
  return (
    <>
      <Group>
        <SearchField name="name" label={t('keys.name')} description={t('stores.extIdHint')} />
      </Group>
      <FilterChips active={[{ name: 'name', label: t('keys.name'), value: filters.name }]} />
    </>
  );
}

/** The first and the last day, in the viewer's time zone. */
export function DayFields() {
  const t = useT();
  const { filters, set } = useFilters<'from' | 'to'>();
  return (['from', 'to'] as const).map((name) => (
    <TextInput
      key={name}
      type="date"
      label={t(`list.${name}`)}
      value={filters[name] ?? ''}
      onChange={(event) => set({ [name]: event.currentTarget.value || undefined })}
    />
  ));
}
