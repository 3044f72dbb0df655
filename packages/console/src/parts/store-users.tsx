import { Group, NativeSelect, Stack, Title } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { callLoosely, type Result } from '../api/client.ts';
import { useMay } from '../api/session.tsx';
import { useT } from '../texts/texts.tsx';
import { useWord, WordTag } from './badges.tsx';
import { FilterChips, SearchField, useFilters } from './filters.tsx';
import { type Column, List } from './list.tsx';
import { Moment } from './moment.tsx';

type UserRow = Result<'users', 'list'>['content'][number];

const STATUSES = ['ACTIVE', 'LOCKED', 'TEMP_LOCKED', 'DISABLED', 'PENDING_ACTIVE'] as const;
const ID = /^[0-9A-HJKMNP-TV-Z]{26}$/i;

const linkOf = (storeName: string, id: string) => `/stores/${encodeURIComponent(storeName)}/users/${id}`;

/** The users of a store. A search for a full id leads to its user. */
export function StoreUsers({ storeName }: { storeName: string }) {
  const t = useT();
  const { filters } = useFilters<'extId' | 'status'>();
  const status = STATUSES.find((each) => each === filters.status);
  const columns: Column<UserRow>[] = [
    { title: t('stores.user'), sort: 'extId', show: (row) => row.extId ?? row.id, text: (row) => row.extId ?? row.id },
    { title: t('keys.status'), show: (row) => <WordTag word={row.status} />, text: (row) => row.status },
    {
      title: t('instances.created'),
      sort: 'createdDtm',
      show: (row) => <Moment at={row.createdDtm} />,
      text: (row) => row.createdDtm,
    },
    {
      title: t('operators.lastSignIn'),
      show: (row) => <Moment at={row.lastSuccessfulAuthenticationDtm} />,
      text: (row) => row.lastSuccessfulAuthenticationDtm,
    },
  ];
  return (
    <Stack>
      <Title order={2} size="h5">
        {t('stores.users')}
      </Title>
      <UserFilters storeName={storeName} />
      <List<UserRow>
        group="users"
        name="list"
        params={{ storeName }}
        query={{ extId: filters.extId, status }}
        label={t('stores.users')}
        columns={columns}
        keyOf={({ id }) => id}
        linkOf={({ id }) => linkOf(storeName, id)}
      />
    </Stack>
  );
}

function UserFilters({ storeName }: { storeName: string }) {
  const t = useT();
  const word = useWord();
  const findById = useFindById(storeName);
  const { filters, set } = useFilters<'extId' | 'status'>();
  const { extId, status } = filters;
  return (
    <>
      <Group align="flex-end">
        <SearchField
          name="extId"
          label={`${t('stores.extId')} / ${t('instances.id')}`}
          description={t('stores.extIdHint')}
          onWords={findById}
        />
        <NativeSelect
          label={t('keys.status')}
          value={status ?? ''}
          data={[{ value: '', label: t('instances.all') }, ...STATUSES.map((value) => ({ value, label: word(value) }))]}
          onChange={(event) => set({ status: event.currentTarget.value || undefined })}
        />
      </Group>
      <FilterChips
        active={[
          { name: 'extId', label: t('stores.extId'), value: extId },
          { name: 'status', label: t('keys.status'), value: status && word(status) },
        ]}
      />
    </>
  );
}

/** Leads to the user with a full id. Other words are searched as external ids. */
function useFindById(storeName: string): (words: string) => Promise<boolean> {
  const may = useMay();
  const navigate = useNavigate();
  return async (words) => {
    const userId = words.trim().toUpperCase();
    if (!ID.test(userId) || !may('users', 'get')) return false;
    const user = await callLoosely('users', 'get', { params: { storeName, userId } }).catch(() => undefined);
    if (user) navigate({ to: linkOf(storeName, userId) });
    return user !== undefined;
  };
}
