import { Button } from '@mantine/core';
import { IconPencil } from '@tabler/icons-react';
import { Link } from 'wouter';
import { useWhyNoChange } from './alertQueries.ts';

type Props = { alert: { id: string; name: string }; isIcon?: boolean };

export function EditLink({ alert, isIcon = false }: Props) {
  if (useWhyNoChange() !== null) return null;
  return (
    <Button
      component={Link}
      href={`/alerts/${alert.id}/edit`}
      variant="default"
      size="compact-sm"
      {...(isIcon && { px: 4, 'data-hint': 'Edit' })}
      aria-label={`Edit ${alert.name}`}
    >
      {isIcon ? <IconPencil size={16} /> : 'Edit'}
    </Button>
  );
}
