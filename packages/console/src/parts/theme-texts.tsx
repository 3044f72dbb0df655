import { Badge, Button, Group, NativeSelect, Stack, Text, Textarea, TextInput, Title } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call, type Result } from '../api/client.ts';
import { useEnvironment } from '../api/environment.ts';
import { useMay } from '../api/session.tsx';
import { useT } from '../texts/texts.tsx';
import { say, useAct } from './act.ts';
import { JOURNEY_LANGUAGES } from './journey-languages.ts';

type ThemeRow = Result<'themes', 'list'>['content'][number];
type TextRow = Result<'journeyTexts', 'list'>['content'][number];
type Language = (typeof JOURNEY_LANGUAGES)[number];

const MAX_SHOWN = 20;

/** The words of a journey that the tenant says in its own way, by language. A text that lacks a placeholder is refused. */
export function ThemeTexts({ theme }: { theme: ThemeRow }) {
  const t = useT();
  const may = useMay();
  const environment = useEnvironment();
  const [language, setLanguage] = useState<Language>('en');
  const [key, setKey] = useState('');
  const own = (theme.texts ?? {}) as Record<string, Record<string, string>>;
  const query = useQuery({
    queryKey: [environment, 'texts', language, key],
    queryFn: () =>
      call('journeyTexts', 'list', { query: { language, key: key ? `%${key}%` : undefined, size: MAX_SHOWN } }),
    enabled: may('journeyTexts', 'list'),
    placeholderData: keepPreviousData,
  });
  if (!may('journeyTexts', 'list')) return null;
  const english = Object.keys(own.en ?? {});
  const missing = JOURNEY_LANGUAGES.filter((each) => english.some((name) => !own[each]?.[name]));
  return (
    <section aria-label={t('themes.texts')}>
      <Title order={2} size="h5" mb="xs">
        {t('themes.texts')}
      </Title>
      {english.length > 0 && missing.length > 0 && (
        <Text size="sm" mb="xs" role="status">
          {t('themes.missing', { languages: missing.join(', ') })}
        </Text>
      )}
      <Group align="flex-end" mb="sm">
        <NativeSelect
          label={t('app.language')}
          value={language}
          data={[...JOURNEY_LANGUAGES]}
          onChange={(event) => setLanguage(event.currentTarget.value as Language)}
        />
        <TextInput
          className="grow"
          type="search"
          label={t('themes.key')}
          value={key}
          onChange={(event) => setKey(event.currentTarget.value)}
        />
      </Group>
      <Stack gap="xs">
        {(query.data?.content ?? []).map((row) => (
          <OwnText key={`${language} ${row.key}`} row={row} theme={theme} language={language} own={own} />
        ))}
      </Stack>
    </section>
  );
}

type OwnTextProps = { row: TextRow; theme: ThemeRow; language: Language; own: Record<string, Record<string, string>> };

function OwnText({ row, theme, language, own }: OwnTextProps) {
  const t = useT();
  const may = useMay();
  const before = own[language]?.[row.key] ?? '';
  const [text, setText] = useState(before);
  const lacks = row.fillsIn.filter((name) => text !== '' && !text.includes(`{${name}`));
  const save = useAct(
    () => {
      const { [row.key]: _old, ...others } = own[language] ?? {};
      const ofLanguage = text === '' ? others : { ...others, [row.key]: text };
      const texts = { ...own, [language]: ofLanguage };
      // All own texts are stored together: what somebody else has written meanwhile is not overwritten.
      const query = { ifLastUpdatedDtm: theme.lastUpdatedDtm };
      return call('themes', 'update', { params: { themeName: theme.name }, query, body: { texts } as never });
    },
    () => say(t('settings.saved')),
  );
  return (
    <div className="card check">
      <Group gap="xs" justify="space-between">
        <Text size="xs" c="dimmed">
          {row.key}
        </Text>
        {before !== '' && (
          <Badge size="xs" variant="default">
            {t('themes.own')}
          </Badge>
        )}
      </Group>
      <Text size="sm" dir="auto">
        {row.text}
      </Text>
      <Group align="flex-end" gap="xs">
        <Textarea
          className="grow"
          aria-label={row.key}
          placeholder={t('themes.ownText')}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          error={lacks.length > 0 && t('themes.lacks', { names: lacks.map((name) => `{${name}}`).join(' ') })}
          maxLength={1000}
          autosize
          dir="auto"
        />
        <Button
          size="xs"
          variant="default"
          disabled={text === before || lacks.length > 0 || !may('themes', 'update')}
          loading={save.isPending}
          onClick={() => save.mutate(undefined)}
        >
          {t('app.save')}
        </Button>
      </Group>
    </div>
  );
}
