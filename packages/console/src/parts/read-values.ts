import type { UserData } from './case-data.tsx';

type Values = UserData['documents'][string]['biographicData'][number]['values'];

/** The value in print, else as a machine-readable zone or a barcode has it. */
export function readValueOf({ visualZoneValue, mrzValue, barcodeValue }: Values): string | undefined {
  return visualZoneValue ?? mrzValue ?? barcodeValue;
}

/** As a reviewer corrected it, else as it was read. */
export function shownValueOf(values: Values): string | undefined {
  return values.correctedValue ?? readValueOf(values);
}

/** The name in the first document that shows one. */
export function readNameOf(data: UserData | undefined): string {
  const names = Object.values(data?.documents ?? {}).map(({ biographicData }) =>
    ['First Name', 'Last Name']
      .map((name) => biographicData.find(({ fieldName }) => fieldName === name))
      .map((field) => field && shownValueOf(field.values))
      .filter(Boolean)
      .join(' '),
  );
  return names.find(Boolean) ?? '';
}
