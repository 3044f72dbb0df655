import { Anchor, Button, FileButton, Group, Stack, Text, Title } from '@mantine/core';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { call, callForBlob, callLoosely, type Result } from '../api/client.ts';
import { useMay } from '../api/session.tsx';
import { useAct } from '../parts/act.ts';
import { ActForm } from '../parts/act-form.tsx';
import { WordTag } from '../parts/badges.tsx';
import { DeleteButton } from '../parts/delete-button.tsx';
import { DeviceChoice } from '../parts/device-choice.tsx';
import { Dialog } from '../parts/dialogs.tsx';
import { NameFilter, useFilters } from '../parts/filters.tsx';
import { type Column, List } from '../parts/list.tsx';
import { Moment } from '../parts/moment.tsx';
import { NameField } from '../parts/name-field.tsx';
import { Page } from '../parts/page.tsx';
import { saveFile } from '../parts/save-file.ts';
import { Guarded } from '../parts/states.tsx';
import { useT } from '../texts/texts.tsx';

type PageRow = Result<'customPages', 'list'>['content'][number];

/** The tenant's own pages, which steps of a journey show. */
export function CustomPages() {
  const t = useT();
  const may = useMay();
  const { filters } = useFilters<'name'>();
  const [isMaking, setMaking] = useState(false);
  return (
    <Guarded group="customPages" name="list">
      <Page
        title={t('pages.title')}
        actions={
          may('customPages', 'createVersion') && <Button onClick={() => setMaking(true)}>{t('pages.new')}</Button>
        }
      >
        <NameFilter />
        <List<PageRow>
          group="customPages"
          name="list"
          query={{ name: filters.name }}
          label={t('pages.title')}
          columns={useColumns()}
          keyOf={({ id }) => id}
          linkOf={({ name }) => `/pages/${encodeURIComponent(name)}`}
        />
        <Dialog opened={isMaking} onClose={() => setMaking(false)} title={t('pages.new')}>
          <NewPage />
        </Dialog>
      </Page>
    </Guarded>
  );
}

function useColumns(): Column<PageRow>[] {
  const t = useT();
  return [
    {
      title: t('keys.name'),
      sort: 'name',
      show: ({ name, version }) => `${name} v${version}`,
      text: ({ name, version }) => `${name} v${version}`,
    },
    {
      title: t('keys.status'),
      sort: 'status',
      show: ({ status }) => <WordTag word={status} />,
      text: ({ status }) => status,
    },
    {
      title: t('pages.size'),
      show: ({ numFiles = 0, bytes = 0 }) => t('pages.files', { n: numFiles, kB: Math.ceil(bytes / 1024) }),
      text: ({ bytes }) => String(bytes ?? ''),
    },
    {
      title: t('roles.description'),
      show: ({ description }) => <bdi>{description ?? '–'}</bdi>,
      text: ({ description }) => description,
    },
    {
      title: t('secrets.changed'),
      sort: 'lastUpdatedDtm',
      show: ({ lastUpdatedDtm }) => <Moment at={lastUpdatedDtm} />,
      text: ({ lastUpdatedDtm }) => lastUpdatedDtm,
    },
    { title: t('keys.createdBy'), show: ({ createdBy }) => createdBy ?? '–', text: ({ createdBy }) => createdBy },
  ];
}

function upload(name: string, file: File): Promise<unknown> {
  const body = new Blob([file], { type: 'application/zip' });
  return callLoosely('customPages', 'createVersion', { params: { name }, body });
}

function NewPage() {
  const t = useT();
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [file, setFile] = useState<File | null>(null);
  const make = useAct(
    () => upload(name, file as File),
    () => navigate({ to: `/pages/${encodeURIComponent(name)}` }),
  );
  return (
    <ActForm act={make} submitLabel={t('pages.upload')} isDisabled={!file || name === ''}>
      <NameField name={name} onName={setName} maxLength={50} />
      <Group>
        <FileButton accept="application/zip,.zip" onChange={setFile}>
          {(props) => (
            <Button variant="default" {...props}>
              {t('pages.choose')}
            </Button>
          )}
        </FileButton>
        <Text size="sm">{file?.name}</Text>
      </Group>
      <Text size="xs" c="dimmed">
        {t('pages.zipHint')}
      </Text>
      <Button
        variant="default"
        className="self-start"
        disabled={name === ''}
        onClick={() => navigate({ to: `/pages/${encodeURIComponent(name)}/source` })}
      >
        {t('pages.write')}
      </Button>
    </ActForm>
  );
}

/** One page: its versions, their previews, and which one journeys show. */
export function CustomPage() {
  const t = useT();
  const may = useMay();
  const { name = '' } = useParams({ strict: false }) as { name?: string };
  const [preview, setPreview] = useState<{ of: PageRow; url: string }>();
  const next = useAct((file: File) => upload(name, file));
  return (
    <Guarded group="customPages" name="listVersions">
      <Page
        title={name}
        actions={
          may('customPages', 'createVersion') && (
            <FileButton accept="application/zip,.zip" onChange={(file) => file && next.mutate(file)}>
              {(props) => (
                <Button loading={next.isPending} {...props}>
                  {t('pages.uploadNext')}
                </Button>
              )}
            </FileButton>
          )
        }
      >
        <List<PageRow>
          group="customPages"
          name="listVersions"
          params={{ name }}
          query={{ sort: 'version,desc' }}
          label={t('pages.versions')}
          columns={useColumns()}
          keyOf={({ id }) => id}
          actionsOf={(row) => <VersionActions row={row} onPreview={(url) => setPreview({ of: row, url })} />}
        />
        {preview && <Preview key={preview.url} row={preview.of} url={preview.url} />}
      </Page>
    </Guarded>
  );
}

function VersionActions({ row, onPreview }: { row: PageRow; onPreview(url: string): void }) {
  const t = useT();
  const may = useMay();
  const params = { id: row.id };
  const preview = useAct(
    () => call('customPages', 'preview', { params, body: {} }),
    ({ url }) => onPreview(url),
  );
  const deploy = useAct(() => call('customPages', 'deploy', { params, body: {} }));
  const withdraw = useAct(() => call('customPages', 'archive', { params, body: {} }));
  const save = useAct(async () =>
    saveFile(
      `${row.name}-v${row.version}.zip`,
      await callForBlob('customPages', 'getArchive', { params }, 'application/zip'),
    ),
  );
  const isDeployed = row.status === 'DEPLOYED_ACTIVE';
  const buttons = [
    { isShown: may('customPages', 'preview'), label: t('themes.preview'), act: preview },
    { isShown: row.status === 'EDITABLE' && may('customPages', 'deploy'), label: t('definitions.deploy'), act: deploy },
    // Journeys show the newest deployed version; to withdraw it brings back the one before.
    { isShown: isDeployed && may('customPages', 'archive'), label: t('pages.rollBack'), act: withdraw },
    { isShown: may('customPages', 'getArchive'), label: t('definitions.export'), act: save },
  ];
  const canEdit = may('customPages', 'getArchive') && may('customPages', 'createVersion');
  return (
    <Group gap={4} justify="flex-end">
      {canEdit && (
        <Button
          size="compact-xs"
          variant="default"
          component={Link}
          to={`/pages/${encodeURIComponent(row.name)}/source`}
          search={{ version: row.id } as never}
        >
          {t('pages.edit')}
        </Button>
      )}
      {buttons
        .filter(({ isShown }) => isShown)
        .map(({ label, act }) => (
          <Button
            key={label}
            size="compact-xs"
            variant="default"
            onClick={() => act.mutate(undefined)}
            loading={act.isPending}
          >
            {label}
          </Button>
        ))}
      {!row.deployedDtm && may('customPages', 'delete') && (
        <DeleteButton
          name={`${row.name} v${row.version}`}
          lead={t('pages.deleteLead')}
          remove={() => call('customPages', 'delete', { params })}
        />
      )}
    </Group>
  );
}

/** Previews a version on a phone or desktop. Its scripts run in a sandboxed frame. */
function Preview({ row, url }: { row: PageRow; url: string }) {
  const t = useT();
  const [device, setDevice] = useState('phone');
  const isOwn = new URL(url, location.href).origin === location.origin;
  return (
    <Stack component="section" aria-label={t('themes.preview')}>
      <Group justify="space-between">
        <Title order={2} size="h5">
          {row.name} v{row.version}
        </Title>
        <DeviceChoice device={device} onDevice={setDevice} />
      </Group>
      {isOwn ? (
        <iframe
          src={url}
          title={`${row.name} v${row.version}`}
          className={device}
          sandbox="allow-scripts allow-forms"
        />
      ) : (
        <Anchor href={url} target="_blank" rel="noopener">
          {t('tokens.open')}
        </Anchor>
      )}
    </Stack>
  );
}
