import { Badge, Button, Group, NativeSelect, Stack, Text, Textarea, TextInput, Title } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { CallError, CHANGED_MEANWHILE, call, type Result } from '../api/client.ts';
import { useEnvironment } from '../api/environment.ts';
import { useMay } from '../api/session.tsx';
import { useT } from '../texts/texts.tsx';
import { say } from './act.ts';
import { JOURNEY_LANGUAGES } from './journey-languages.ts';
import { useSafeSave } from './safe-save.tsx';
import { Empty, Failed } from './states.tsx';
import { useDraft } from './use-draft.ts';

type ThemeRow = Result<'themes', 'list'>['content'][number];
type TextRow = Result<'journeyTexts', 'list'>['content'][number];
type Language = (typeof JOURNEY_LANGUAGES)[number];

const MAX_SHOWN = 20;

export async function fetchTheme(name: string): Promise<ThemeRow | undefined> {
  const { content } = await call('themes', 'list', { query: { name, size: 10 } });
  return content.find((row) => row.name === name);
}

/** The tenant's own texts of the journey, by language. A text that lacks a placeholder is refused. */
export function ThemeTexts({ theme }: { theme: ThemeRow }) {
  const t = useT();
  const may = useMay();
  const environment = useEnvironment();
  const [language, setLanguage] = useState<Language>('en');
  const [key, setKey] = useState('');
  const own = ownTextsOf(theme);
  const query = useQuery({
    queryKey: [environment, 'texts', language, key],
    queryFn: () => call('journeyTexts', 'list', { query: { language, key: key || undefined, size: MAX_SHOWN } }),
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
          maxLength={100}
        />
      </Group>
      {query.isError && <Failed error={query.error} retry={() => query.refetch()} />}
      {query.data?.content.length === 0 && <Empty title={t('state.emptyFilter')} />}
      <Stack gap="xs">
        {(query.data?.content ?? []).map((row) => (
          <OwnText key={`${language} ${row.key}`} row={row} theme={theme} language={language} own={own} />
        ))}
      </Stack>
    </section>
  );
}

type OwnTexts = Record<string, Record<string, string>>;

const ownTextsOf = ({ texts }: ThemeRow) => (texts ?? {}) as OwnTexts;

type OwnTextProps = { row: TextRow; theme: ThemeRow; language: Language; own: OwnTexts };

type TextChange = { language: Language; key: string; text: string; before: string };

/** All own texts are stored together, so a changed one is merged into the newest ones. */
async function saveText(theme: ThemeRow, { language, key, text, before }: TextChange, isSure: boolean) {
  const newest = (await fetchTheme(theme.name)) ?? theme;
  const own = ownTextsOf(newest);
  const { [key]: stored = '', ...others } = own[language] ?? {};
  if (stored !== before && !isSure) throw new CallError(409, CHANGED_MEANWHILE, stored);
  const texts = { ...own, [language]: text === '' ? others : { ...others, [key]: text } };
  const query = { ifLastUpdatedDtm: newest.lastUpdatedDtm };
  return call('themes', 'update', { params: { themeName: theme.name }, query, body: { texts } as never });
}

function useOwnText({ row: { key }, theme, language, own }: OwnTextProps) {
  const t = useT();
  const stored = own[language]?.[key] ?? '';
  const draft = useDraft({ fields: { text: stored }, lastUpdatedDtm: theme.lastUpdatedDtm });
  const { text } = draft.fields;
  const { act: save, conflict } = useSafeSave<ThemeRow>({
    save: (isSure) => saveText(theme, { language, key, text, before: draft.storedFields.text }, isSure),
    async fetchTheirs() {
      const newest = await fetchTheme(theme.name);
      return { [key]: (newest && ownTextsOf(newest)[language]?.[key]) ?? '' };
    },
    mine: { [key]: text },
    onSaved({ lastUpdatedDtm }) {
      draft.follow({ fields: { text }, lastUpdatedDtm });
      say(t('settings.saved'));
    },
    onTheirs: draft.reset,
  });
  return { ...draft, text, isOwn: stored !== '', save, conflict };
}

function OwnText(props: OwnTextProps) {
  const t = useT();
  const may = useMay();
  const { row } = props;
  const { text, change, isChanged, isOwn, save, conflict } = useOwnText(props);
  const lacks = row.fillsIn.filter((name) => text !== '' && !text.includes(`{${name}`));
  return (
    <div className="card check">
      <Group gap="xs" justify="space-between">
        <Text size="xs" c="dimmed">
          {row.key}
        </Text>
        {isOwn && (
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
          onChange={(event) => change({ text: event.currentTarget.value })}
          error={lacks.length > 0 && t('themes.lacks', { names: lacks.map((name) => `{${name}}`).join(' ') })}
          maxLength={1000}
          autosize
          dir="auto"
        />
        <Button
          size="xs"
          variant="default"
          disabled={!isChanged || lacks.length > 0 || !may('themes', 'update')}
          loading={save.isPending}
          onClick={() => save.mutate()}
        >
          {t('app.save')}
        </Button>
      </Group>
      {conflict}
    </div>
  );
}
