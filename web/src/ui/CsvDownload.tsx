import { Button, type ButtonProps } from '@mantine/core';
import { downloadFile } from './download.ts';
import { useChange } from './useChange.ts';

type Props = ButtonProps & { read: () => Promise<Blob>; name: string };

/** Saves a table that the server writes. */
export function CsvDownload({ read, name, ...props }: Props) {
  const csv = useChange({ act: async () => downloadFile(await read(), name) });
  return (
    <Button
      size="compact-sm"
      variant="default"
      {...props}
      loading={csv.isPending}
      onClick={() => csv.mutate(undefined)}
    >
      CSV
    </Button>
  );
}
