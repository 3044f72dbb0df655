import { Button, Group, TextInput } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useT } from '../texts/texts.tsx';

type Saved = { name: string; search: Record<string, string> };

const MAX_SAVED = 20;

/** Queries that somebody asks again and again, remembered by this browser. */
export function SavedQueries({ search }: { search: Record<string, string | undefined> }) {
  const t = useT();
  const navigate = useNavigate();
  const [saved, setSaved] = useLocalStorage<Saved[]>({ key: 'grove-event-queries', defaultValue: [] });
  const [name, setName] = useState('');
  const filters = Object.entries(search).filter(([, value]) => value) as [string, string][];
  const save = () => {
    const others = saved.filter((each) => each.name !== name);
    setSaved([...others, { name, search: Object.fromEntries(filters) }].slice(-MAX_SAVED));
    setName('');
  };
  return (
    <Group gap="xs">
      {saved.map((each) => (
        <Group key={each.name} gap={2}>
          <Button
            size="compact-xs"
            variant="default"
            onClick={() => navigate({ to: '/events', search: each.search as never })}
          >
            {each.name}
          </Button>
          <Button
            size="compact-xs"
            variant="subtle"
            aria-label={`${t('outline.remove')}: ${each.name}`}
            onClick={() => setSaved(saved.filter((other) => other !== each))}
          >
            ×
          </Button>
        </Group>
      ))}
      <TextInput
        size="xs"
        aria-label={t('events.queryName')}
        placeholder={t('events.queryName')}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        maxLength={50}
      />
      <Button size="compact-xs" variant="default" disabled={name === '' || filters.length === 0} onClick={save}>
        {t('events.saveQuery')}
      </Button>
    </Group>
  );
}
