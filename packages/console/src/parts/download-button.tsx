import { Button, type ButtonProps } from '@mantine/core';
import type { useDownload } from './use-download.ts';

type DownloadButtonProps = ButtonProps & { download: ReturnType<typeof useDownload>; label: string };

/** Shows the progress of the download as its label. Meanwhile it cannot be pressed again. */
export function DownloadButton({ download, label, ...props }: DownloadButtonProps) {
  const { isPending, progress, start } = download;
  return (
    <Button {...props} aria-disabled={isPending} onClick={() => isPending || start()}>
      {isPending ? progress : label}
    </Button>
  );
}
