import { useState, type ReactNode } from 'react';
import type { Column } from './columns.ts';
import { Confirm } from './Dialog.tsx';
import { RowMenu } from './RowMenu.tsx';
import { useChange } from './useChange.ts';

type Item = { label: string; onClick: () => void; reason?: string | null };

/** It reloads what the removal does, unless it says more. */
type Instead = { label: string; act: () => Promise<unknown>; done: string; refresh?: unknown[][] };

export type Removal<Row> = {
  verb?: 'Delete' | 'Remove' | 'Revoke' | 'Sign out';
  /** What a row is, such as `token`. */
  what: string;
  /** By default, the verb and what it is. */
  label?: string;
  text: (row: Row) => ReactNode;
  act: (row: Row) => Promise<unknown>;
  done: (row: Row) => string;
  /** Key prefixes of the queries to reload afterwards. */
  refresh: unknown[][];
  reason?: (row: Row) => string | null;
  /** A less drastic alternative, if there is one. */
  instead?: (row: Row) => Instead | null;
};

/** What people do with a row of a list: its menu, the form that it opens, and what is asked before it is removed. */
export type RowActions<Row> = {
  /** The row's name for screen readers. */
  of: (row: Row) => string;
  more?: (row: Row) => readonly Item[];
  edit?: { form: (row: Row, close: () => void) => ReactNode; reason?: (row: Row) => string | null };
  remove: Removal<Row>;
};

export type Opened<Row> = { what: 'edit' | 'remove'; row: Row };

export function actionsColumn<Row>(
  { of, more, edit, remove }: RowActions<Row>,
  onOpen: (opened: Opened<Row>) => void,
): Column<Row> {
  const cell = (row: Row) => (
    <RowMenu
      of={of(row)}
      items={[
        ...(more?.(row) ?? []),
        ...(edit
          ? [
              {
                label: 'Edit',
                reason: edit.reason?.(row) ?? null,
                onClick: () => onOpen({ what: 'edit', row }),
              },
            ]
          : []),
        {
          label: remove.verb ?? 'Delete',
          reason: remove.reason?.(row) ?? null,
          onClick: () => onOpen({ what: 'remove', row }),
        },
      ]}
    />
  );
  return { title: 'Actions', cell };
}

type RemoveProps<Row> = {
  row: Row;
  removal: Removal<Row>;
  /** For the page of a row, which has nothing to show afterwards. */
  onRemoved?: () => void;
  onClose: () => void;
};

export function ConfirmRemoval<Row>({ row: given, removal, onRemoved, onClose }: RemoveProps<Row>) {
  const { verb = 'Delete', what, text, act, done, refresh } = removal;
  // As it was, because the pressed button must stay until the dialog closes.
  const [row] = useState(given);
  const remove = useChange({ act: () => act(row), done: () => done(row), refresh });
  const instead = removal.instead?.(row) ?? null;
  const other = useChange({
    act: async () => instead?.act(),
    done: () => instead!.done,
    refresh: instead?.refresh ?? refresh,
  });
  return (
    <Confirm
      title={`${verb} this ${what}?`}
      label={removal.label ?? `${verb} ${what}`}
      instead={
        instead
          ? {
              label: instead.label,
              isBusy: other.isPending,
              onClick: () => other.mutate(undefined, { onSettled: onClose }),
            }
          : undefined
      }
      change={remove}
      onConfirm={() => remove.mutate(undefined, { onSuccess: () => onRemoved?.(), onSettled: onClose })}
      onClose={onClose}
    >
      {text(row)}
    </Confirm>
  );
}
