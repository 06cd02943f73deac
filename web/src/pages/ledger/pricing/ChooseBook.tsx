import { Text } from '@mantine/core';
import { api } from '../../../api/client.ts';
import { FormDialog } from '../../../ui/FormDialog.tsx';
import { useChange } from '../../../ui/useChange.ts';
import { afterPriceChange, type Book } from './queries.ts';
import { WhatIfPreviewWithFee } from './WhatIfPreview.tsx';

/** Shows what a book would have made of the last 90 days before it is chosen. */
export function ChooseBook({ book, onClose }: { book: Book; onClose: () => void }) {
  const choose = useChange({
    act: async () => {
      await api.PUT('/api/v1/pricing', { body: { book_id: book.id } });
    },
    done: `Jobs are priced with ${book.name} from now on.`,
    refresh: afterPriceChange,
    isFaultShown: true,
  });
  return (
    <FormDialog
      title="Choose this price book?"
      size="xl"
      deed="Choose the price book"
      isBusy={choose.isPending}
      error={choose.error}
      fields={[]}
      onSubmit={() => choose.mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    >
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        Jobs that come from now on will be priced with <b>{book.name}</b>. What is recorded keeps its price,
        unless you price it anew afterwards. For comparison, with today&apos;s rules:
      </Text>
      <WhatIfPreviewWithFee proposal={{ book_id: book.id }} />
    </FormDialog>
  );
}
