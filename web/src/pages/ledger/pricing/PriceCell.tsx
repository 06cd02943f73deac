import { ActionIcon, Group } from '@mantine/core';
import { IconCheck, IconPencil, IconX } from '@tabler/icons-react';
import { useRef, useState } from 'react';
import { PlainForm } from '../../../ui/PlainForm.tsx';
import { AllowedButton, SmallButton } from '../../../ui/rights.tsx';
import { Note, TextLink } from '../../../ui/text.tsx';
import { errorOf } from '../../../ui/useChange.ts';
import type { KindRow, Target } from './kinds.ts';
import { RateInput } from './RateInput.tsx';
import type { RuleStart } from './RuleForm.tsx';
import { useSavePrice } from './useSavePrice.ts';
import { rateInCells, type TypedRate } from './words.ts';

type Props = { row: KindRow; reason: string | null; onMap: (start: RuleStart) => void };

export function PriceCell({ row, reason, onMap }: Props) {
  const [isEditing, setIsEditing] = useState(false);
  const isFocusDue = useRef(false);
  const { target, price, name } = row;
  const close = () => {
    isFocusDue.current = true;
    setIsEditing(false);
  };
  if (isEditing && target) return <Editor row={row} target={target} onClose={close} />;
  return (
    <Group
      gap={6}
      justify="flex-end"
      wrap="nowrap"
      ref={(group) => {
        if (group && isFocusDue.current) group.querySelector('button')?.focus();
        isFocusDue.current = false;
      }}
    >
      {price !== null && (
        <div>
          {row.own === null ? rateInCells(price) : <b>{rateInCells(price)}</b>}
          {row.own !== null && row.list !== null && (
            <Note size="xs" hiddenFrom="sm">
              list {rateInCells(row.list)}
            </Note>
          )}
        </div>
      )}
      {target && (
        <AllowedButton
          size="compact-sm"
          px={4}
          reason={reason}
          {...(price === null
            ? { 'aria-label': `Set price of ${name}`, variant: 'light', px: 8 }
            : {
                className: 'row-icon',
                variant: 'subtle',
                color: 'gray',
                'aria-label': `Change the price of ${name}`,
                ...(reason === null && { 'data-hint': 'Change the price' }),
              })}
          onClick={() => setIsEditing(true)}
        >
          {price === null ? 'Set price' : <IconPencil size={15} />}
        </AllowedButton>
      )}
      {target?.by === 'label' && (
        <SmallButton
          reason={reason}
          aria-label={`Map ${name}`}
          onClick={() => onMap({ match: target.match, pattern: target.pattern })}
        >
          Map
        </SmallButton>
      )}
      {row.isUnpriced && price !== null && (
        <TextLink href="/settings/price-history" inherit>
          Reprice
        </TextLink>
      )}
    </Group>
  );
}

type EditorProps = { row: KindRow; target: Target; onClose: () => void };

function Editor({ row: { name, price }, target, onClose }: EditorProps) {
  const [rate, setRate] = useState<TypedRate>(price ?? '');
  const { save, note } = useSavePrice(target);
  const { error } = save;
  const ofField = ['usd_per_minute', 'prices', 'name'].map((field) => errorOf(error, field)).find(Boolean);
  return (
    <PlainForm
      aria-label={`Price of ${name}`}
      className="kind-editor"
      onKeyDown={({ key }) => key === 'Escape' && onClose()}
      onSubmit={() => rate !== '' && save.mutate(rate, { onSuccess: onClose })}
    >
      <Group gap={4} justify="flex-end" wrap="nowrap" align="flex-start">
        <RateInput
          aria-label={`Price of ${name} in US dollars per minute`}
          size="xs"
          w={{ base: 86, sm: 110 }}
          autoFocus
          value={rate}
          onChange={setRate}
          error={ofField ? `It ${ofField}.` : error?.message}
        />
        <ActionIcon type="submit" size={32} loading={save.isPending} disabled={rate === ''} aria-label="Save">
          <IconCheck size={16} />
        </ActionIcon>
        <ActionIcon size={32} variant="default" onClick={onClose} aria-label="Cancel">
          <IconX size={16} />
        </ActionIcon>
      </Group>
      {note && (
        <Note size="xs" mt={4}>
          {note}
        </Note>
      )}
    </PlainForm>
  );
}
