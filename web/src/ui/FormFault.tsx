import { Alert } from '@mantine/core';
import { ApiError } from '../api/client.ts';
import { faultOf } from './useChange.ts';

/** What is wrong with a form as a whole: what the server said of none of the fields that show their own faults. */
export function FormFault({ error, fields }: { error: Error | null; fields: string[] }) {
  if (!error || fields.some((field) => faultOf(error, field))) return null;
  const request = error instanceof ApiError && error.requestId ? ` (request ${error.requestId})` : '';
  return (
    <Alert color="red" variant="outline" p="xs" role="alert">
      {error.message}
      {request}
    </Alert>
  );
}
