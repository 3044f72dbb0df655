import { Anchor, Button, CopyButton, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { call, type Result } from '../api/client.ts';
import { useMay } from '../api/session.tsx';
import { useAct } from '../parts/act.ts';
import { WordTag } from '../parts/badges.tsx';
import { DeleteButton } from '../parts/delete-button.tsx';
import { Dialog } from '../parts/dialogs.tsx';
import { NameFilter, useFilters } from '../parts/filters.tsx';
import { type Column, List } from '../parts/list.tsx';
import { Moment } from '../parts/moment.tsx';
import { NewToken } from '../parts/new-token.tsx';
import { Page } from '../parts/page.tsx';
import { QrCode } from '../parts/qr-code.tsx';
import { Guarded } from '../parts/states.tsx';
import { TokenFacts, usesOf } from '../parts/token-facts.tsx';
import { useT } from '../texts/texts.tsx';

type TokenRow = Result<'processTokens', 'list'>['content'][number];

/** Links that start a verification; each binds a definition. */
export function Tokens() {
  const t = useT();
  const may = useMay();
  const [isMaking, setMaking] = useState(false);
  const { filters } = useFilters<'name'>();
  const columns: Column<TokenRow>[] = [
    { title: t('keys.name'), sort: 'name', show: (row) => <strong>{row.name}</strong>, text: (row) => row.name },
    {
      title: t('keys.status'),
      sort: 'status',
      show: (row) => <WordTag word={row.status} />,
      text: (row) => row.status,
    },
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
        <NameFilter />
        <List<TokenRow>
          group="processTokens"
          name="list"
          query={{ processTokenSearch: filters.name }}
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

function TokenActions({ row }: { row: TokenRow }) {
  const t = useT();
  const may = useMay();
  const params = { processTokenId: row.id };
  const isActive = row.status === 'ACTIVE';
  const [isShown, setShown] = useState(false);
  const change = useAct(() =>
    call('processTokens', 'update', { params, body: { status: isActive ? 'INACTIVE' : 'ACTIVE' } }),
  );
  return (
    <Group gap={4} justify="flex-end">
      <Button size="compact-xs" variant="default" onClick={() => setShown(true)}>
        {t('tokens.qr')}
      </Button>
      <Dialog opened={isShown} onClose={() => setShown(false)} title={row.name}>
        <Stack align="center">
          <QrCode text={row.startProcessAddress} label={t('tokens.qr')} />
          <Text size="xs" className="wrap">
            {row.startProcessAddress}
          </Text>
          <TokenFacts token={row} />
        </Stack>
      </Dialog>
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
