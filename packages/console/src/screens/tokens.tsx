import { Anchor, Button, CopyButton, Group, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call, type Result } from '../api/client.ts';
import { useEnvironment } from '../api/environment.ts';
import { useMay } from '../api/session.tsx';
import { useAct } from '../parts/act.ts';
import { ActForm } from '../parts/act-form.tsx';
import { WordTag } from '../parts/badges.tsx';
import { DeleteButton } from '../parts/delete-button.tsx';
import { Dialog } from '../parts/dialogs.tsx';
import { type Column, List } from '../parts/list.tsx';
import { Moment } from '../parts/moment.tsx';
import { NameField } from '../parts/name-field.tsx';
import { Page } from '../parts/page.tsx';
import { Guarded } from '../parts/states.tsx';
import { useT } from '../texts/texts.tsx';

type TokenRow = Result<'processTokens', 'list'>['content'][number];

/** Links that start a verification: each binds a definition. */
export function Tokens() {
  const t = useT();
  const may = useMay();
  const [isMaking, setMaking] = useState(false);
  const columns: Column<TokenRow>[] = [
    { title: t('keys.name'), show: (row) => <strong>{row.name}</strong>, text: (row) => row.name },
    { title: t('keys.status'), show: (row) => <WordTag word={row.status} />, text: (row) => row.status },
    {
      title: t('instances.definition'),
      show: (row) => `${row.processDefnName}${row.processDefnVersion ? ` v${row.processDefnVersion}` : ''}`,
      text: (row) => row.processDefnName,
    },
    { title: t('tokens.used'), show: usesOf, text: usesOf },
    { title: t('keys.expires'), show: (row) => <Moment at={row.notAfterDtm} />, text: (row) => row.notAfterDtm },
  ];
  return (
    <Guarded group="processTokens" name="list">
      <Page
        title={t('tokens.title')}
        actions={may('processTokens', 'create') && <Button onClick={() => setMaking(true)}>{t('tokens.new')}</Button>}
      >
        <List<TokenRow>
          group="processTokens"
          name="list"
          label={t('tokens.title')}
          columns={columns}
          keyOf={({ id }) => id}
          actionsOf={(row) => <TokenActions row={row} />}
        />
        <Dialog opened={isMaking} onClose={() => setMaking(false)} title={t('tokens.new')}>
          <NewToken onMade={() => setMaking(false)} />
        </Dialog>
      </Page>
    </Guarded>
  );
}

function usesOf({ counter, maxCount, type }: TokenRow): string {
  return type === 'MULTI_USE_COUNT_LIMITED' ? `${counter} / ${maxCount}` : String(counter);
}

function TokenActions({ row }: { row: TokenRow }) {
  const t = useT();
  const may = useMay();
  const params = { processTokenId: row.id };
  const isActive = row.status === 'ACTIVE';
  const change = useAct(() =>
    call('processTokens', 'update', { params, body: { status: isActive ? 'INACTIVE' : 'ACTIVE' } }),
  );
  return (
    <Group gap={4} justify="flex-end">
      <CopyButton value={row.startProcessAddress}>
        {({ copied, copy }) => (
          <Button size="compact-xs" variant="default" onClick={copy}>
            {t(copied ? 'app.copied' : 'tokens.copy')}
          </Button>
        )}
      </CopyButton>
      <Anchor size="xs" href={row.startProcessAddress} target="_blank" rel="noopener">
        {t('tokens.open')}
      </Anchor>
      {may('processTokens', 'update') && (
        <Button size="compact-xs" variant="default" onClick={() => change.mutate(undefined)} loading={change.isPending}>
          {t(isActive ? 'webhooks.disable' : 'webhooks.enable')}
        </Button>
      )}
      {may('processTokens', 'delete') && (
        <DeleteButton
          name={row.name}
          lead={t('tokens.deleteLead')}
          remove={() => call('processTokens', 'delete', { params })}
        />
      )}
    </Group>
  );
}

function NewToken({ onMade }: { onMade(): void }) {
  const t = useT();
  const environment = useEnvironment();
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState<string | null>(null);
  const definitions = useQuery({
    queryKey: [environment, 'deployed-definitions'],
    queryFn: () => call('processDefinitions', 'list', { query: { status: 'DEPLOYED_ACTIVE', size: 200 } }),
  });
  const choices = (definitions.data?.content ?? []).map(({ id, name: of, version }) => ({
    value: id,
    label: `${of} v${version}`,
  }));
  const definition = definitions.data?.content.find(({ id }) => id === (chosen ?? choices[0]?.value));
  const make = useAct(
    () =>
      call('processTokens', 'create', {
        body: { name, processDefnName: definition?.name, processDefnVersion: definition?.version },
      }),
    onMade,
  );
  return (
    <ActForm act={make} submitLabel={t('app.create')} isDisabled={!definition}>
      <NameField name={name} onName={setName} maxLength={50} />
      <Select
        label={t('instances.definition')}
        data={choices}
        value={definition?.id ?? null}
        onChange={setChosen}
        allowDeselect={false}
        searchable
      />
    </ActForm>
  );
}
