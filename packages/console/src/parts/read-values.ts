import type { UserData } from './case-data.tsx';

type Values = UserData['documents'][string]['biographicData'][number]['values'];

/** The value in print, or else that of the machine-readable zone or the barcode. */
export function readValueOf({ visualZoneValue, mrzValue, barcodeValue }: Values): string | undefined {
  return visualZoneValue ?? mrzValue ?? barcodeValue;
}

/** The corrected value, or else the value that was read. */
export function shownValueOf(values: Values): string | undefined {
  return values.correctedValue ?? readValueOf(values);
}

/** The name in the first document that has one. */
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
