import { Combobox, Modal, ScrollArea, Text, TextInput, useCombobox } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../api/client.ts';
import { useEnvironment } from '../api/environment.ts';
import { useMay } from '../api/session.tsx';
import { useT } from '../texts/texts.tsx';

type Place = { to: string; label: string; hint: string };

const WAIT_MS = 200;
const MAX_FOUND = 6;
const MIN_LETTERS = 2;

/** Jumps to a screen, a verification, a key or a person by name or id. Opened by Ctrl-K or ⌘K. */
export function Palette({ screens, onClose }: { screens: readonly Place[]; onClose(): void }) {
  const t = useT();
  const navigate = useNavigate();
  const combobox = useCombobox({ defaultOpened: true });
  const [words, setWords] = useState('');
  const found = useFound(words);
  const wanted = words.trim().toLowerCase();
  const places = [...screens.filter(({ label }) => label.toLowerCase().includes(wanted)), ...found];
  const open = (to: string) => {
    onClose();
    navigate({ to });
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
            {places.map(({ to, label, hint }) => (
              <Combobox.Option value={to} key={to}>
                <Text size="sm" span>
                  <bdi>{label}</bdi>
                </Text>{' '}
                <Text size="xs" c="dimmed" span>
                  {hint}
                </Text>
              </Combobox.Option>
            ))}
            {places.length === 0 && <Combobox.Empty>{t('state.emptyFilter')}</Combobox.Empty>}
          </Combobox.Options>
        </ScrollArea.Autosize>
      </Combobox>
    </Modal>
  );
}

/** Verifications, keys and people that match. */
function useFound(typed: string): Place[] {
  const t = useT();
  const may = useMay();
  const environment = useEnvironment();
  const [words] = useDebouncedValue(typed.trim(), WAIT_MS);
  const { data = [] } = useQuery({
    queryKey: [environment, 'palette', words],
    enabled: words.length >= MIN_LETTERS,
    queryFn: async () => {
      const name = `%${words.replace(/[%_\\]/g, '')}%`;
      const none = { content: [] };
      const [instances, keys, people] = await Promise.all([
        may('processInstances', 'search')
          ? call('processInstances', 'search', { query: { searchString: words, size: MAX_FOUND } }).catch(() => none)
          : none,
        may('apiKeys', 'list') ? call('apiKeys', 'list', { query: { name, size: MAX_FOUND } }).catch(() => none) : none,
        may('operators', 'list')
          ? call('operators', 'list', { query: { name, size: MAX_FOUND } }).catch(() => none)
          : none,
      ]);
      return [
        ...instances.content.map(({ id, firstName, lastName }) => ({
          ...{ to: `/instances/${id}`, hint: id },
          label: [firstName, lastName].filter(Boolean).join(' ') || t('instances.noName'),
        })),
        ...keys.content.map((key) => ({ to: `/keys?key=${key.id ?? ''}`, label: key.name, hint: t('nav.keys') })),
        ...people.content.map(({ id, name: label }) => ({
          ...{ to: `/audit?operatorId=${id}`, label, hint: t('nav.audit') },
        })),
      ];
    },
  });
  return words.length >= MIN_LETTERS ? data : [];
}
