import { Button, Radio, Stack, Text } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { type ArgumentsOf, call } from '../api/client.ts';
import { useMay } from '../api/session.tsx';
import { useT } from '../texts/texts.tsx';
import { useAct } from './act.ts';
import { ActForm } from './act-form.tsx';
import { Dialog } from './dialogs.tsx';

type NewExport = NonNullable<ArgumentsOf<'instanceExports', 'create'>['body']>;
type Filters = { [K in keyof Omit<NewExport, 'format'>]?: NewExport[K] | undefined };

/** Starts the export of the whole list on the server, and leads to the finished exports. */
export function StartExport({ filters }: { filters: Filters }) {
  const t = useT();
  const may = useMay();
  const [isOpen, setOpen] = useState(false);
  if (!may('instanceExports', 'create') || !may('instanceExports', 'list')) return null;
  return (
    <>
      <Button variant="default" component={Link} to="/instances/exports">
        {t('exports.title')}
      </Button>
      <Button variant="default" onClick={() => setOpen(true)}>
        {t('exports.start')}
      </Button>
      <Dialog opened={isOpen} onClose={() => setOpen(false)} title={t('exports.start')}>
        <ExportForm filters={filters} />
      </Dialog>
    </>
  );
}

const FORMATS = ['CSV', 'JSON'] as const;

function ExportForm({ filters }: { filters: Filters }) {
  const t = useT();
  const navigate = useNavigate();
  const [format, setFormat] = useState<string>('CSV');
  const start = useAct(
    () => call('instanceExports', 'create', { body: { ...filters, format } as NewExport }),
    () => navigate({ to: '/instances/exports' }),
  );
  return (
    <ActForm act={start} submitLabel={t('exports.prepare')}>
      <Text size="sm">{t('exports.startLead')}</Text>
      <Radio.Group label={t('exports.format')} value={format} onChange={setFormat}>
        <Stack gap="xs" mt={4}>
          {FORMATS.map((each) => (
            <Radio key={each} value={each} label={t(`exports.format.${each}`)} />
          ))}
        </Stack>
      </Radio.Group>
    </ActForm>
  );
}
