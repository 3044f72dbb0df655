import { Button, Group, Menu, Select, Stack, TextInput, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { call, type Result } from '../api/client.ts';
import { useEnvironment } from '../api/environment.ts';
import { canTry, useMay, useSession } from '../api/session.tsx';
import { useT } from '../texts/texts.tsx';
import { useAct } from './act.ts';
import { Tag, WordTag } from './badges.tsx';
import { DeleteButton } from './delete-button.tsx';
import { Diff } from './diff.tsx';
import { saveFile } from './save-file.ts';

type DefinitionView = Result<'processDefinitions', 'get'>;

const MAX_VERSIONS = 200;

/** The actions on a stored version. */
export function DefinitionActions({ view, isChanged }: { view: DefinitionView; isChanged: boolean }) {
  const t = useT();
  const may = useMay();
  const navigate = useNavigate();
  const { environments } = useSession();
  const params = { processDefinitionId: view.id };
  const deploy = useAct(() => call('processDefinitions', 'deploy', { params, body: {} }));
  const archive = useAct(() => call('processDefinitions', 'archive', { params, body: {} }));
  const isDeployed = view.status === 'DEPLOYED_ACTIVE';
  const save = () =>
    saveFile(
      `${view.name}-v${view.version}.json`,
      new Blob([`${JSON.stringify(view.document, null, 2)}\n`], { type: 'application/json' }),
    );
  return (
    <>
      <WordTag word={view.status} />
      {isDeployed && canTry(may) && environments.includes('test') && (
        <Button variant="default" component={Link} to="/try" search={{ definition: view.id } as never}>
          {t('definitions.run')}
        </Button>
      )}
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default">{t('definitions.more')}</Button>
        </Menu.Target>
        <Menu.Dropdown>
          {may('whatIf', 'run') && (
            <Menu.Item onClick={() => navigate({ to: '/what-if', search: { definition: view.id } as never })}>
              {t('whatIf.title')}
            </Menu.Item>
          )}
          {may('processDefinitions', 'create') && (
            <Menu.Item
              onClick={() =>
                navigate({ to: '/definitions/$id', params: { id: 'new' }, search: { from: view.id } as never })
              }
            >
              {t('definitions.clone')}
            </Menu.Item>
          )}
          <Menu.Item onClick={save}>{t('definitions.export')}</Menu.Item>
          {isDeployed && may('processDefinitions', 'archive') && (
            <Menu.Item onClick={() => archive.mutate(undefined)}>{t('definitions.archive')}</Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      {view.status === 'EDITABLE' && may('processDefinitions', 'delete') && (
        <DeleteButton
          size="sm"
          name={`${view.name} v${view.version}`}
          lead={t('definitions.deleteLead')}
          remove={() => call('processDefinitions', 'delete', { params })}
          onDone={() => navigate({ to: '/definitions' })}
        />
      )}
      {view.status === 'EDITABLE' && may('processDefinitions', 'deploy') && (
        <Button
          variant="default"
          onClick={() => deploy.mutate(undefined)}
          loading={deploy.isPending}
          disabled={isChanged}
        >
          {t('definitions.deploy')}
        </Button>
      )}
    </>
  );
}

/** Tags of a version; start links may bind a tag, which stays while versions change. */
export function Tags({ view }: { view: DefinitionView }) {
  const t = useT();
  const may = useMay();
  const [name, setName] = useState('');
  const params = { processDefinitionId: view.id };
  const add = useAct(
    () => call('processDefinitions', 'addTag', { params, body: { name } }),
    () => setName(''),
  );
  const remove = useAct((tagName: string) =>
    call('processDefinitions', 'removeTag', { params: { ...params, tagName } }),
  );
  const canAdd = view.status === 'DEPLOYED_ACTIVE' && may('processDefinitions', 'addTag');
  if (!canAdd && view.tags.length === 0) return null;
  return (
    <section aria-label={t('definitions.tags')}>
      <Title order={2} size="h5" mb="xs">
        {t('definitions.tags')}
      </Title>
      <Group gap="xs" align="flex-end">
        {view.tags.map((tag) => (
          <Group key={tag} gap={4}>
            <Tag tone="plain">{tag}</Tag>
            {may('processDefinitions', 'removeTag') && (
              <Button
                size="compact-xs"
                variant="subtle"
                aria-label={`${t('outline.remove')}: ${tag}`}
                onClick={() => remove.mutate(tag)}
              >
                ×
              </Button>
            )}
          </Group>
        ))}
        {canAdd && (
          <>
            <TextInput
              size="xs"
              aria-label={t('definitions.newTag')}
              placeholder={t('definitions.newTag')}
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
              maxLength={50}
            />
            <Button size="xs" variant="default" disabled={name === ''} onClick={() => add.mutate(undefined)}>
              {t('watchlists.add')}
            </Button>
          </>
        )}
      </Group>
    </section>
  );
}

/** Compares this text with another version of the same name. */
export function Compare({ view, text }: { view: DefinitionView; text: string }) {
  const t = useT();
  const environment = useEnvironment();
  const [otherId, setOtherId] = useState<string | null>(null);
  const versions = useQuery({
    queryKey: [environment, 'versions', view.name],
    queryFn: () =>
      call('processDefinitions', 'list', { query: { name: view.name, size: MAX_VERSIONS, sort: ['version,desc'] } }),
  });
  const other = useQuery({
    queryKey: [environment, 'definition', otherId],
    queryFn: () => call('processDefinitions', 'get', { params: { processDefinitionId: otherId ?? '' } }),
    enabled: otherId !== null,
  });
  const others = (versions.data?.content ?? []).filter(({ id }) => id !== view.id);
  if (others.length === 0) return null;
  return (
    <Stack gap="xs">
      <Select
        label={t('definitions.compare')}
        clearable
        data={others.map(({ id, version }) => ({ value: id, label: `${view.name} v${version}` }))}
        value={otherId}
        onChange={setOtherId}
      />
      {other.data && (
        <Diff before={JSON.stringify(other.data.document, null, 2)} after={text} label={t('definitions.compare')} />
      )}
    </Stack>
  );
}
