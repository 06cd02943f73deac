import { Button } from '@mantine/core';
import { Link } from 'wouter';
import { useWhyNoChange } from './alertQueries.ts';

export function EditLink({ alert }: { alert: { id: string; name: string } }) {
  if (useWhyNoChange() !== null) return null;
  return (
    <Button
      component={Link}
      href={`/alerts/${alert.id}/edit`}
      variant="default"
      size="compact-sm"
      aria-label={`Edit ${alert.name}`}
    >
      Edit
    </Button>
  );
}
