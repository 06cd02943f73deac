import { Alert } from '@mantine/core';
import { reasonOf } from './outages.ts';
import { errorOf } from './useChange.ts';

/** The error of the form as a whole; null if a field shows it. */
export function FormError({ error, fields }: { error: Error | null; fields: string[] }) {
  if (!error || fields.some((field) => errorOf(error, field))) return null;
  return (
    <Alert color="red" variant="outline" p="xs" role="alert">
      {reasonOf(error)}
    </Alert>
  );
}
