import { Button, Group, MultiSelect, Stack, Text, Textarea, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call, type Result } from '../api/client.ts';
import { useEnvironment } from '../api/environment.ts';
import { useMay } from '../api/session.tsx';
import { useT, useTexts } from '../texts/texts.tsx';
import { useAct } from './act.ts';
import { useColleagues } from './colleagues.ts';
import { Moment } from './moment.tsx';

type NoteView = Result<'instanceNotes', 'list'>['content'][number];

const MAX_SHOWN = 100;
const MAX_LENGTH = 4000;

/** The notes of colleagues about a verification, and a field for a new one. */
export function Notes({ id }: { id: string }) {
  const t = useT();
  const may = useMay();
  const environment = useEnvironment();
  const isAllowed = may('instanceNotes', 'list');
  const query = useQuery({
    queryKey: [environment, 'notes', id],
    queryFn: () =>
      call('instanceNotes', 'list', {
        params: { processInstanceId: id },
        query: { size: MAX_SHOWN, sort: ['id,asc'] },
      }),
    enabled: isAllowed,
    staleTime: 30_000,
  });
  if (!isAllowed || !query.data) return null;
  return (
    <section aria-label={t('notes.title')}>
      <Title order={2} size="h5" mb="sm">
        {t('notes.title')}
      </Title>
      <Stack gap="xs">
        {query.data.content.map((note) => (
          <NoteCard key={note.id} note={note} />
        ))}
        {may('instanceNotes', 'add') && <NewNote id={id} />}
      </Stack>
    </section>
  );
}

export function NoteCard({ note }: { note: NoteView }) {
  const { author, createdDtm, text, mentions } = note;
  return (
    <div className="card check">
      <Text size="xs" c="dimmed">
        <bdi>{author}</bdi> · <Moment at={createdDtm} />
      </Text>
      <Text size="sm" className="wrap" dir="auto">
        {text}
      </Text>
      {mentions.length > 0 && (
        <Text size="xs" fw={600}>
          {mentions.map(({ name }) => `@${name}`).join(' ')}
        </Text>
      )}
    </div>
  );
}

function NewNote({ id }: { id: string }) {
  const { t, language } = useTexts();
  const [text, setText] = useState('');
  const [mentions, setMentions] = useState<string[]>([]);
  const people = useColleagues();
  const add = useAct(
    () => call('instanceNotes', 'add', { params: { processInstanceId: id }, body: { text, mentions, language } }),
    () => {
      setText('');
      setMentions([]);
    },
  );
  return (
    <Stack gap="xs">
      <Textarea
        aria-label={t('notes.new')}
        placeholder={t('notes.new')}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        maxLength={MAX_LENGTH}
        autosize
        minRows={2}
      />
      {people && (
        <MultiSelect
          aria-label={t('notes.mention')}
          placeholder={mentions.length === 0 ? t('notes.mention') : ''}
          data={people}
          value={mentions}
          onChange={setMentions}
          searchable
          limit={50}
          maxValues={20}
          hidePickedOptions
        />
      )}
      <Group justify="flex-end">
        <Button
          size="xs"
          variant="default"
          disabled={text.trim() === ''}
          loading={add.isPending}
          onClick={() => add.mutate(undefined)}
        >
          {t('notes.add')}
        </Button>
      </Group>
    </Stack>
  );
}
