import { Combobox, Modal, ScrollArea, Text, TextInput, useCombobox } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { call, callLoosely } from '../api/client.ts';
import { useEnvironment } from '../api/environment.ts';
import { useMay } from '../api/session.tsx';
import { useT } from '../texts/texts.tsx';

type Destination = { to: string; search?: Record<string, string>; label: string; hint: string };

const WAIT_MS = 200;
const MAX_FOUND = 6;
const MIN_LETTERS = 2;
/** The number of identity stores in which users are searched. */
const MAX_STORES = 5;
const ID = /^[0-9A-Z]{20,40}$/;

/** Jumps to a screen, a verification, a key, a user or a colleague by name or id. Ctrl-K or ⌘K opens it. */
export function Palette({ screens, onClose }: { screens: readonly Destination[]; onClose(): void }) {
  const t = useT();
  const navigate = useNavigate();
  const combobox = useCombobox({ defaultOpened: true });
  const [words, setWords] = useState('');
  const matches = useMatches(words);
  const searchText = words.trim().toLowerCase();
  const destinations = [...screens.filter(({ label }) => label.toLowerCase().includes(searchText)), ...matches];
  const open = (at: string) => {
    const { to, search } = destinations[Number(at)] as Destination;
    onClose();
    navigate({ to, search } as never);
  };
  return (
    <Modal opened onClose={onClose} withCloseButton={false} padding="xs" aria-label={t('palette.title')}>
      <Combobox store={combobox} onOptionSubmit={open} withinPortal={false}>
        <Combobox.EventsTarget>
          <TextInput
            aria-label={t('palette.title')}
            placeholder={t('palette.hint')}
            value={words}
            onChange={(event) => {
              setWords(event.currentTarget.value);
              combobox.selectFirstOption();
            }}
            data-autofocus
          />
        </Combobox.EventsTarget>
        <ScrollArea.Autosize mah={360} type="auto" mt="xs">
          <Combobox.Options aria-label={t('palette.title')}>
            {destinations.map(({ to, search, label, hint }, at) => (
              <Combobox.Option value={String(at)} key={`${to} ${JSON.stringify(search)} ${hint}`}>
                <Text size="sm" span>
                  <bdi>{label}</bdi>
                </Text>{' '}
                <Text size="xs" c="dimmed" span>
                  {hint}
                </Text>
              </Combobox.Option>
            ))}
            {destinations.length === 0 && <Combobox.Empty>{t('state.emptyFilter')}</Combobox.Empty>}
          </Combobox.Options>
        </ScrollArea.Autosize>
      </Combobox>
    </Modal>
  );
}

/** The verifications, keys, users and colleagues that match. */
function useMatches(typed: string): Destination[] {
  const t = useT();
  const may = useMay();
  const environment = useEnvironment();
  const [words] = useDebouncedValue(typed.trim(), WAIT_MS);
  const { data = [] } = useQuery({
    queryKey: [environment, 'palette', words],
    enabled: words.length >= MIN_LETTERS,
    queryFn: async () => {
      const finders = [
        ...(may('processInstances', 'search') ? [findInstances(words, t('instances.noName'))] : []),
        ...(may('apiKeys', 'list') ? [findKeys(words, t('nav.keys'))] : []),
        ...(may('stores', 'list') && may('users', 'list') ? [findUsers(words)] : []),
        ...(may('operators', 'list') ? [findColleagues(words, t('nav.audit'))] : []),
      ];
      // A failed search of one kind does not hide the others.
      return (await Promise.all(finders.map((finder) => finder.catch(() => [])))).flat();
    },
  });
  return words.length >= MIN_LETTERS ? data : [];
}

const containing = (words: string) => `%${words.replace(/[%_\\]/g, '')}%`;
const asId = (words: string) => (ID.test(words.toUpperCase()) ? words.toUpperCase() : undefined);

async function findInstances(searchString: string, noName: string): Promise<Destination[]> {
  const { content } = await call('processInstances', 'search', { query: { searchString, size: MAX_FOUND } });
  return content.map(({ id, firstName, lastName }) => ({
    to: `/instances/${id}`,
    hint: id,
    label: [firstName, lastName].filter(Boolean).join(' ') || noName,
  }));
}

async function findKeys(words: string, hint: string): Promise<Destination[]> {
  const id = asId(words);
  const [page, one] = await Promise.all([
    call('apiKeys', 'list', { query: { name: containing(words), size: MAX_FOUND } }),
    id ? call('apiKeys', 'get', { params: { apiKeyId: id } }).catch(() => undefined) : undefined,
  ]);
  const names = new Set([...(one ? [one.name] : []), ...page.content.map(({ name }) => name)]);
  return [...names].map((name) => ({ to: '/keys', search: { name }, label: name, hint }));
}

async function findUsers(words: string): Promise<Destination[]> {
  const { content: stores } = await call('stores', 'list', { query: { size: MAX_STORES } });
  const id = asId(words);
  const users = await Promise.all(
    stores.map(async ({ name: storeName }) => {
      const params = { storeName };
      const query = { extId: containing(words), size: MAX_FOUND };
      const [page, one] = await Promise.all([
        call('users', 'list', { params, query }),
        id &&
          (callLoosely('users', 'get', { params: { storeName, userId: id } }).catch(() => undefined) as Promise<
            { id: string; extId?: string } | undefined
          >),
      ]);
      const users = new Map([...(one ? [one] : []), ...page.content].map((user) => [user.id, user]));
      return [...users.values()].map((user) => ({
        to: `/stores/${encodeURIComponent(storeName)}/users/${user.id}`,
        hint: storeName,
        label: user.extId ?? user.id,
      }));
    }),
  );
  return users.flat();
}

async function findColleagues(words: string, hint: string): Promise<Destination[]> {
  const { content } = await call('operators', 'list', { query: { name: containing(words), size: MAX_FOUND } });
  return content.map(({ id, name }) => ({ to: '/audit', search: { operatorId: id }, label: name, hint }));
}
