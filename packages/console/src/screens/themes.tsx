import {
  Alert,
  Button,
  ColorInput,
  FileButton,
  Group,
  NativeSelect,
  NumberInput,
  SimpleGrid,
  Stack,
  Text,
  Title,
} from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { call, type Result } from '../api/client.ts';
import { useEnvironment } from '../api/environment.ts';
import { useMay } from '../api/session.tsx';
import { say, useAct } from '../parts/act.ts';
import { ActForm } from '../parts/act-form.tsx';
import { contrast } from '../parts/contrast.ts';
import { DeleteButton } from '../parts/delete-button.tsx';
import { DeviceChoice } from '../parts/device-choice.tsx';
import { Dialog } from '../parts/dialogs.tsx';
import { JourneyPreview } from '../parts/journey-preview.tsx';
import { type Column, List } from '../parts/list.tsx';
import { Moment } from '../parts/moment.tsx';
import { NameField } from '../parts/name-field.tsx';
import { Page } from '../parts/page.tsx';
import { useSafeSave } from '../parts/safe-save.tsx';
import { Failed, Guarded, Waiting } from '../parts/states.tsx';
import { fetchTheme, ThemeTexts } from '../parts/theme-texts.tsx';
import { useDraft } from '../parts/use-draft.ts';
import { useT, useTexts } from '../texts/texts.tsx';

type ThemeRow = Result<'themes', 'list'>['content'][number];
type Palette = ThemeRow['palette'];

const COLOURS = [
  'primary',
  'onPrimary',
  'background',
  'surface',
  'text',
  'mutedText',
  'border',
  'error',
  'success',
] as const;
const STARTER = {
  primary: '#0b5e4a',
  onPrimary: '#ffffff',
  background: '#ffffff',
  surface: '#f4f6f5',
  text: '#16211c',
  mutedText: '#4d5a54',
  border: '#7c8a84',
  error: '#b3261e',
  success: '#1b6e3c',
} as Palette;
/** Pairs of foreground and background: a ratio below 4.5 is hard to read, one below 3 is refused. */
const PAIRS = [
  ['onPrimary', 'primary'],
  ['text', 'background'],
  ['text', 'surface'],
  ['mutedText', 'background'],
  ['error', 'background'],
] as const;
const GOOD = 4.5;
const LEAST = 3;

/** The design of journeys. */
export function Themes() {
  const t = useT();
  const may = useMay();
  const [isMaking, setMaking] = useState(false);
  const columns: Column<ThemeRow>[] = [
    { title: t('keys.name'), sort: 'name', show: ({ name }) => name, text: ({ name }) => name },
    {
      title: t('themes.colours'),
      show: ({ palette }) => <Swatches palette={palette} />,
      text: ({ palette }) => palette.primary,
    },
    {
      title: t('secrets.changed'),
      sort: 'lastUpdatedDtm',
      show: (row) => <Moment at={row.lastUpdatedDtm} />,
      text: (row) => row.lastUpdatedDtm,
    },
  ];
  return (
    <Guarded group="themes" name="list">
      <Page
        title={t('themes.title')}
        actions={may('themes', 'create') && <Button onClick={() => setMaking(true)}>{t('themes.new')}</Button>}
      >
        <List<ThemeRow>
          group="themes"
          name="list"
          label={t('themes.title')}
          columns={columns}
          keyOf={({ name }) => name}
          linkOf={({ name }) => `/themes/${encodeURIComponent(name)}`}
          actionsOf={({ name }) =>
            may('themes', 'delete') && (
              <DeleteButton
                name={name}
                lead={t('themes.deleteLead')}
                remove={() => call('themes', 'delete', { params: { themeName: name } })}
              />
            )
          }
        />
        <Dialog opened={isMaking} onClose={() => setMaking(false)} title={t('themes.new')}>
          <NewTheme onDone={() => setMaking(false)} />
        </Dialog>
      </Page>
    </Guarded>
  );
}

function Swatches({ palette }: { palette: Palette }) {
  return (
    <svg width="72" height="18" viewBox="0 0 72 18" aria-hidden="true">
      {(['primary', 'background', 'surface', 'text'] as const).map((name, at) => (
        <rect key={name} x={at * 18} width="18" height="18" fill={palette[name]} stroke="#7c8a84" strokeWidth="0.5" />
      ))}
    </svg>
  );
}

function NewTheme({ onDone }: { onDone(): void }) {
  const t = useT();
  const [name, setName] = useState('');
  const make = useAct(() => call('themes', 'create', { body: { name, palette: STARTER } }), onDone);
  return (
    <ActForm act={make} submitLabel={t('app.create')}>
      <NameField name={name} onName={setName} maxLength={50} />
    </ActForm>
  );
}

export function Theme() {
  const { name = '' } = useParams({ strict: false }) as { name?: string };
  const environment = useEnvironment();
  const query = useQuery({
    queryKey: [environment, 'theme', name],
    queryFn: async () => (await fetchTheme(name)) ?? null,
  });
  return (
    <Guarded group="themes" name="list">
      {query.isPending && <Waiting />}
      {query.isError && <Failed error={query.error} retry={() => query.refetch()} />}
      {query.data && <Editor key={`${environment} ${name}`} theme={query.data} />}
    </Guarded>
  );
}

type ThemeFields = Pick<ThemeRow, 'palette' | 'radius' | 'fontFamily'>;

const fieldsOf = ({ palette, radius, fontFamily }: ThemeRow): ThemeFields => ({ palette, radius, fontFamily });

/** The colours and shapes while they are edited. */
function useThemeDraft(theme: ThemeRow) {
  const t = useT();
  const { lastUpdatedDtm, name: themeName } = theme;
  const draft = useDraft({ fields: fieldsOf(theme), lastUpdatedDtm });
  const { fields, ifLastUpdatedDtm } = draft;
  const { act: save, conflict } = useSafeSave<ThemeRow>({
    save: (isSure) =>
      call('themes', 'update', { params: { themeName }, query: isSure ? {} : { ifLastUpdatedDtm }, body: fields }),
    async fetchTheirs() {
      const newer = await fetchTheme(themeName);
      return newer ? fieldsOf(newer) : {};
    },
    mine: fields,
    onSaved(result) {
      draft.follow({ fields: fieldsOf(result), lastUpdatedDtm: result.lastUpdatedDtm });
      say(t('settings.saved'));
    },
    onTheirs: draft.reset,
  });
  return { ...draft, save, conflict };
}

function Editor({ theme }: { theme: ThemeRow }) {
  const t = useT();
  const may = useMay();
  const { fields, change, isChanged, save, conflict } = useThemeDraft(theme);
  const { palette, radius, fontFamily } = fields;
  const ratios = PAIRS.map(([front, back]) => ({ front, back, ratio: contrast(palette[front], palette[back]) }));
  const isBlocked = ratios.some(({ ratio }) => ratio < LEAST);
  return (
    <Page title={theme.name}>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <ActForm
          act={save}
          submitLabel={t('app.save')}
          isDisabled={!isChanged || isBlocked || !may('themes', 'update')}
        >
          {COLOURS.map((name) => (
            <ColorInput
              key={name}
              label={t(`themes.${name}`)}
              value={palette[name]}
              format="hex"
              withEyeDropper={false}
              dir="ltr"
              onChange={(value) => change({ palette: { ...palette, [name]: value } })}
            />
          ))}
          <NumberInput
            label={t('themes.radius')}
            value={radius}
            min={0}
            max={24}
            onChange={(next) => change({ radius: Number(next) || 0 })}
          />
          <NativeSelect
            label={t('themes.font')}
            value={fontFamily}
            data={['system', 'serif', 'rounded', 'monospace', 'own']}
            onChange={(event) => change({ fontFamily: event.currentTarget.value as typeof fontFamily })}
          />
          {conflict}
          {may('themes', 'uploadAsset') && <Logo theme={theme} />}
        </ActForm>
        <Stack>
          <Preview theme={{ ...theme, ...fields }} />
          {ratios
            .filter(({ ratio }) => ratio < GOOD)
            .map(({ front, back, ratio }) => (
              <Alert key={`${front} ${back}`} color={ratio < LEAST ? 'red' : 'yellow'} variant="light" role="status">
                {t(ratio < LEAST ? 'themes.unreadable' : 'themes.hard', {
                  front: t(`themes.${front}`),
                  back: t(`themes.${back}`),
                  ratio: Math.round(ratio * 10) / 10,
                })}
              </Alert>
            ))}
        </Stack>
      </SimpleGrid>
      <ThemeTexts theme={theme} />
    </Page>
  );
}

/** The picture at the top of every page. It is stored as soon as it is chosen. */
function Logo({ theme: { name: themeName, logoUrl } }: { theme: ThemeRow }) {
  const t = useT();
  const upload = useAct(
    (file: File) => call('themes', 'uploadAsset', { params: { themeName, assetName: 'logo' }, body: file as never }),
    () => say(t('settings.saved')),
  );
  return (
    <Group gap="sm">
      {logoUrl && <img src={logoUrl} alt={t('themes.logo')} className="theme-logo" />}
      <FileButton
        accept="image/png,image/jpeg,image/webp"
        onChange={(file) => file && upload.mutate(file)}
        inputProps={{ 'aria-label': t('themes.chooseLogo') }}
      >
        {(props) => (
          <Button variant="default" loading={upload.isPending} {...props}>
            {t('themes.chooseLogo')}
          </Button>
        )}
      </FileButton>
    </Group>
  );
}

/** A form with a heading, a filled field, an empty one and a button. */
const SAMPLE = {
  schema: {
    type: 'object',
    required: ['firstName', 'consent'],
    properties: {
      firstName: { type: 'string' },
      email: { type: 'string', format: 'email' },
      consent: { type: 'boolean', title: { en: 'I agree', de: 'Ich stimme zu', ar: 'أوافق' } },
    },
  },
  values: { firstName: 'Ada' },
};

type PreviewProps = { theme: ThemeRow };

/** Previews a page of a journey with the theme, on a phone or a desktop. */
function Preview({ theme }: PreviewProps) {
  const { t, language } = useTexts();
  const [device, setDevice] = useState('phone');
  return (
    <section aria-label={t('themes.preview')}>
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h5">
          {t('themes.preview')}
        </Title>
        <DeviceChoice device={device} onDevice={setDevice} />
      </Group>
      <JourneyPreview
        settings={SAMPLE}
        language={language}
        theme={theme}
        label={t('themes.preview')}
        className={device}
      />
      <Text size="xs" c="dimmed">
        {t('themes.previewHint')}
      </Text>
    </section>
  );
}
