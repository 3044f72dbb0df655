import { Group, Stack, Table, Text } from '@mantine/core';
import { useNames } from '../texts/reasons.ts';
import { useT } from '../texts/texts.tsx';
import { Tag } from './badges.tsx';
import { AddValueButton, CorrectButton, useMayCorrect } from './case-correction.tsx';
import type { Case, Check, UserData } from './case-data.tsx';
import { useMomentText } from './moment.tsx';
import { readValueOf, shownValueOf } from './read-values.ts';

/** For each field, the parameter with the applicant's value, and the name that the checks use. */
const FIELDS: Readonly<Record<string, { readonly parameter: string; readonly inChecks: string }>> = {
  'First Name': { parameter: 'firstName', inChecks: 'givenNames' },
  'Last Name': { parameter: 'lastName', inChecks: 'surname' },
  'Date Of Birth': { parameter: 'dateOfBirth', inChecks: 'birthDate' },
  'Date Of Expiry': { parameter: '', inChecks: 'expiryDate' },
  'Document Number': { parameter: 'documentNumber', inChecks: 'documentNumber' },
  Nationality: { parameter: 'nationality', inChecks: '' },
};

/** How a value compares with the one that was read, according to the checks. */
type Likeness = 'agrees' | 'similar' | 'differs';
type Differences = { provided: Likeness; zone: Likeness; barcode: Likeness };

/** The differences according to the checks, which know dates, spellings and transliterations. */
function differencesOf(checks: readonly Check[], fieldName: string): Differences {
  const metaData = (name: string) => checks.find((check) => check.name === name)?.metaData ?? {};
  const { fields = {} } = metaData('applicantMatch') as { fields?: Record<string, string> };
  const { differ = [] } = metaData('documentConsistency') as { differ?: string[] };
  const { parameter = '', inChecks = '' } = FIELDS[fieldName] ?? {};
  const differs = (...pairs: string[]) => (pairs.some((pair) => differ.includes(pair)) ? 'differs' : 'agrees');
  const provided = fields[parameter];
  return {
    provided: provided === 'differs' || provided === 'similar' ? provided : 'agrees',
    zone: differs(`visual.${inChecks}.mrz`),
    barcode: differs(`visual.${inChecks}.barcode`, `barcode.${inChecks}.mrz`),
  };
}

type Document = UserData['documents'][string];

/** The values of each document: read, provided and corrected. */
export function ValuesTable({ caseFile }: { caseFile: Case }) {
  return Object.entries(caseFile.data?.documents ?? {}).map(([key, document]) => (
    <DocumentValues key={key} documentKey={key} document={document} caseFile={caseFile} />
  ));
}

type DocumentProps = { documentKey: string; document: Document; caseFile: Case };

function DocumentValues({ documentKey, document, caseFile }: DocumentProps) {
  const t = useT();
  const names = useNames();
  const { instance, checks } = caseFile;
  const parameters = instance.processTokenParameters as Record<string, string>;
  const mayCorrect = useMayCorrect(instance.status);
  const { biographicData, documentType, countryCode, corrections = [] } = document;
  const missingFields = Object.keys(FIELDS).filter((name) => !biographicData.some((each) => each.fieldName === name));
  return (
    <Stack gap="xs">
      <Text size="sm" c="dimmed">
        {[documentType && names('fields', documentType), countryCode].filter(Boolean).join(' · ')}
      </Text>
      <Table withTableBorder>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('case.field')}</Table.Th>
            <Table.Th>{t('case.read')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {biographicData.map(({ fieldName, values }) => (
            <FieldRow
              key={fieldName}
              name={fieldName}
              provided={parameters[FIELDS[fieldName]?.parameter ?? '']}
              values={values}
              differences={differencesOf(checks, fieldName)}
              correction={corrections.findLast((each) => each.fieldName === fieldName)}
              target={mayCorrect ? { instanceId: instance.id, documentKey } : undefined}
            />
          ))}
        </Table.Tbody>
      </Table>
      {mayCorrect && (
        <AddValueButton instanceId={instance.id} documentKey={documentKey} missingFields={missingFields} />
      )}
    </Stack>
  );
}

type FieldProps = {
  name: string;
  provided: string | undefined;
  values: Document['biographicData'][number]['values'];
  differences: Differences;
  correction: NonNullable<Document['corrections']>[number] | undefined;
  /** Set if the viewer may correct the value now. */
  target: { instanceId: string; documentKey: string } | undefined;
};

function FieldRow({ name, provided, values, differences, correction, target }: FieldProps) {
  const t = useT();
  const names = useNames();
  const { visualZoneValue, mrzValue, barcodeValue, correctedValue } = values;
  const readValue = readValueOf(values);
  const shownValue = shownValueOf(values) ?? '';
  const others = [
    { label: t('correct.wasRead'), value: correctedValue === undefined ? undefined : readValue, likeness: 'agrees' },
    { label: t('case.machineZone'), value: visualZoneValue && mrzValue, likeness: differences.zone },
    { label: t('case.barcode'), value: (visualZoneValue ?? mrzValue) && barcodeValue, likeness: differences.barcode },
    { label: t('case.provided'), value: provided, likeness: differences.provided },
  ].filter(({ value }) => value !== undefined);
  return (
    <Table.Tr>
      <Table.Td>
        <Text size="sm" c="dimmed">
          {names('fields', name)}
        </Text>
      </Table.Td>
      <Table.Td>
        <Group gap={4} justify="space-between" align="flex-start">
          <Text size="sm" fw={600}>
            <bdi>{shownValue}</bdi> {correctedValue !== undefined && <Tag tone="wait">{t('correct.tag')}</Tag>}
          </Text>
          {target && <CorrectButton {...target} fieldName={name} shownValue={shownValue} />}
        </Group>
        {others.map(({ label, value, likeness }) => (
          <Text size="xs" key={label}>
            {label}: <bdi>{value}</bdi> {likeness === 'differs' && <Tag tone="bad">{t('case.mismatch')}</Tag>}
            {likeness === 'similar' && <Tag tone="wait">{t('case.similar')}</Tag>}
          </Text>
        ))}
        {correction && correctedValue !== undefined && <CorrectionNote correction={correction} />}
      </Table.Td>
    </Table.Tr>
  );
}

function CorrectionNote({ correction }: { correction: NonNullable<FieldProps['correction']> }) {
  const t = useT();
  const momentText = useMomentText();
  const { reviewer, correctedDtm, comment } = correction;
  return (
    <Text size="xs" c="dimmed">
      {t('correct.by', { name: reviewer, time: momentText(correctedDtm), comment })}
    </Text>
  );
}
