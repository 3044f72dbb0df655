import { Button, Group, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { call } from '../api/client.ts';
import { useT } from '../texts/texts.tsx';
import { useAct } from './act.ts';

/** Lists with filters that the operator has named. They are the same in all browsers of the operator. */
export function SavedViews({ screen }: { screen: string }) {
  const t = useT();
  const navigate = useNavigate();
  const search: Record<string, unknown> = useSearch({ strict: false });
  const [name, setName] = useState('');
  const { data } = useQuery({ queryKey: ['views'], queryFn: () => call('consoleAccount', 'listViews', {}) });
  const views = (data?.views ?? []).filter((view) => view.screen === screen);
  const filters = Object.entries(search).flatMap(([key, value]) =>
    key === 'page' || value === undefined || value === '' ? [] : [[key, String(value)] as const],
  );
  const save = useAct(
    () => call('consoleAccount', 'saveView', { body: { screen, name, search: Object.fromEntries(filters) } }),
    () => setName(''),
  );
  const remove = useAct((savedViewId: string) => call('consoleAccount', 'deleteView', { params: { savedViewId } }));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate(undefined);
  };
  if (views.length === 0 && filters.length === 0) return null;
  return (
    <Group gap="xs" role="group" aria-label={t('views.title')}>
      {views.map((view) => (
        <Button.Group key={view.id}>
          <Button
            size="compact-sm"
            variant="default"
            onClick={() => navigate({ to: '.', search: view.search as never })}
          >
            <bdi>{view.name}</bdi>
          </Button>
          <Button
            size="compact-sm"
            variant="default"
            px={6}
            aria-label={`${t('views.remove')}: ${view.name}`}
            onClick={() => remove.mutate(view.id)}
          >
            ×
          </Button>
        </Button.Group>
      ))}
      {filters.length > 0 && (
        <form onSubmit={submit}>
          <Group gap={4}>
            <TextInput
              size="xs"
              aria-label={t('views.name')}
              placeholder={t('views.name')}
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
              maxLength={50}
            />
            <Button
              type="submit"
              size="compact-sm"
              variant="default"
              disabled={name.trim() === ''}
              loading={save.isPending}
            >
              {t('views.save')}
            </Button>
          </Group>
        </form>
      )}
    </Group>
  );
}
