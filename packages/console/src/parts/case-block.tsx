import { Button, Group, NativeSelect, SegmentedControl, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call, callForBlob } from '../api/client.ts';
import { useEnvironment } from '../api/environment.ts';
import { useMay } from '../api/session.tsx';
import { useT } from '../texts/texts.tsx';
import { say, useAct } from './act.ts';
import { ActForm } from './act-form.tsx';
import { base64Of } from './base64.ts';
import type { Case } from './case-data.tsx';
import { imagesOf } from './case-images.tsx';
import { Dialog } from './dialogs.tsx';
import { shownValueOf } from './read-values.ts';
import { ReasonAndEnd } from './reason-and-end.tsx';

const MAX_LISTS = 200;
type ListType = 'FACE' | 'DOCUMENT_NUMBER' | 'EMAIL';
type Blockable = { type: ListType; value?: string; path?: string };

/** The values of this person that can be put on a watchlist. */
function blockablesOf({ instance, data }: Case): Blockable[] {
  const fields = Object.values(data?.documents ?? {}).flatMap(({ biographicData }) => biographicData);
  const values = fields.find(({ fieldName }) => fieldName === 'Document Number')?.values;
  const number = values && shownValueOf(values);
  const face = imagesOf(data).find(({ kind }) => kind === 'face');
  return [
    ...(number ? [{ type: 'DOCUMENT_NUMBER' as const, value: number }] : []),
    ...(instance.email ? [{ type: 'EMAIL' as const, value: instance.email }] : []),
    ...(face ? [{ type: 'FACE' as const, path: face.path }] : []),
  ];
}

/** Puts the document number, the e-mail address or the face of a case on a watchlist. */
export function BlockButton({ caseFile }: { caseFile: Case }) {
  const t = useT();
  const may = useMay();
  const [isOpen, setOpen] = useState(false);
  const blockables = blockablesOf(caseFile);
  if (!may('watchlists', 'addMember') || !may('watchlists', 'list') || blockables.length === 0) return null;
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        {t('block.button')}
      </Button>
      <Dialog opened={isOpen} onClose={() => setOpen(false)} title={t('block.button')}>
        <BlockForm caseFile={caseFile} blockables={blockables} onDone={() => setOpen(false)} />
      </Dialog>
    </>
  );
}

type BlockFormProps = { caseFile: Case; blockables: readonly Blockable[]; onDone(): void };

function BlockForm({ caseFile: { instance }, blockables, onDone }: BlockFormProps) {
  const t = useT();
  const environment = useEnvironment();
  const [type, setType] = useState<ListType>(blockables[0]?.type ?? 'DOCUMENT_NUMBER');
  const [listId, setListId] = useState('');
  const [note, setNote] = useState('');
  const [expireAfter, setExpireAfter] = useState('P365D');
  const { data } = useQuery({
    queryKey: [environment, 'watchlists', 'all'],
    queryFn: () => call('watchlists', 'list', { query: { size: MAX_LISTS } }),
  });
  const lists = (data?.content ?? []).filter((list) => list.type === type);
  const list = lists.find(({ id }) => id === listId) ?? lists[0];
  const add = useAct(
    async () => {
      const { value, path = '' } = blockables.find((each) => each.type === type) ?? {};
      const params = { processDefnId: instance.processDefnId, processInstanceId: instance.id };
      const { firstName = '', lastName = '' } = instance;
      const who = value
        ? { value }
        : {
            image: await base64Of(await callForBlob('userData', 'getItem', { params, query: { path } }, 'image/*')),
            firstName,
            lastName,
          };
      await call('watchlists', 'addMember', {
        params: { watchlistId: list?.id ?? '' },
        body: { ...who, note, expireAfter },
      });
    },
    () => {
      say(t('block.done'));
      onDone();
    },
  );
  return (
    <ActForm act={add} submitLabel={t('watchlists.add')} isDisabled={!list || note.trim() === ''}>
      <SegmentedControl
        aria-label={t('watchlists.type')}
        value={type}
        data={blockables.map((each) => ({ value: each.type, label: t(`watchlists.${each.type}`) }))}
        onChange={(next) => setType(next as ListType)}
      />
      {lists.length === 0 ? (
        <NoList type={type} />
      ) : (
        <NativeSelect
          label={t('block.list')}
          value={list?.id ?? ''}
          data={lists.map(({ id, name }) => ({ value: id, label: name }))}
          onChange={(event) => setListId(event.currentTarget.value)}
        />
      )}
      <ReasonAndEnd note={note} setNote={setNote} expireAfter={expireAfter} setExpireAfter={setExpireAfter} />
    </ActForm>
  );
}

/** Creates the first list of its kind here, so that the reviewer need not leave the case. */
function NoList({ type }: { type: ListType }) {
  const t = useT();
  const may = useMay();
  const make = useAct(() => call('watchlists', 'create', { body: { name: t(`watchlists.${type}`), type } }));
  return (
    <Group justify="space-between">
      <Text size="sm">{t('block.noList')}</Text>
      {may('watchlists', 'create') && (
        <Button size="xs" variant="default" loading={make.isPending} onClick={() => make.mutate(undefined)}>
          {t('watchlists.new')}
        </Button>
      )}
    </Group>
  );
}
