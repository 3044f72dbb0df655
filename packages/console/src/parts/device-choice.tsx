import { SegmentedControl } from '@mantine/core';
import { useT } from '../texts/texts.tsx';

/** Switches a preview between phone and desktop; the values are classes of the style sheet. */
export function DeviceChoice({ device, onDevice }: { device: string; onDevice(device: string): void }) {
  const t = useT();
  return (
    <SegmentedControl
      size="xs"
      aria-label={t('pages.device')}
      value={device}
      data={[
        { value: 'phone', label: t('pages.phone') },
        { value: 'desktop', label: t('pages.desktop') },
      ]}
      onChange={onDevice}
    />
  );
}
