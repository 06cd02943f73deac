import { Text } from '@mantine/core';
import { api } from '../../../api/client.ts';
import { afterPriceChange, type Book } from '../../../api/queries.ts';
import { FormDialog } from '../../../ui/FormDialog.tsx';
import { useChange } from '../../../ui/useChange.ts';
import { WhatIfPreviewWithFee } from './WhatIfPreview.tsx';

export function ChooseBook({ book, onClose }: { book: Book; onClose: () => void }) {
  const choose = useChange({
    act: async () => {
      await api.PUT('/api/v1/pricing', { body: { book_id: book.id } });
    },
    done: `New jobs use ${book.name}.`,
    refresh: afterPriceChange,
    isErrorShown: true,
  });
  return (
    <FormDialog
      title="Use this price list?"
      size="xl"
      label="Use price list"
      isBusy={choose.isPending}
      error={choose.error}
      fields={[]}
      onSubmit={() => choose.mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    >
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        New jobs will use <b>{book.name}</b>. Recorded jobs keep their price until you reprice them. For
        comparison, with today&apos;s rules:
      </Text>
      <WhatIfPreviewWithFee proposal={{ book_id: book.id }} />
    </FormDialog>
  );
}
