import { Button } from '@mantine/core';
import type { RefObject } from 'react';
import { keepKeys } from '../ui/earlyKeys.ts';
import { late } from '../ui/late.ts';
import { LatePopover, usePopover } from '../ui/LatePopover.tsx';
import type { Props as ChoiceProps } from './NewFilterChoice.tsx';
import type { Question } from './question.ts';

const loadContent = () => import('./NewFilterChoice.tsx');
const NewFilterChoice = late(loadContent, 'NewFilterChoice');

type Props = Omit<ChoiceProps, 'onApply'> & {
  button: RefObject<HTMLButtonElement | null>;
  onChange: (question: Question) => void;
};

export function NewFilter({ button, onChange, ...props }: Props) {
  const { isOpen, close, target } = usePopover({ loadContent, button });
  return (
    <>
      <Button
        {...target}
        size="xs"
        variant="default"
        px={10}
        className="add-filter"
        onClick={() => {
          if (!isOpen) keepKeys();
          target.onClick();
        }}
      >
        + Filter
      </Button>
      {isOpen && (
        <LatePopover label="New filter" of={button} width={320} className="filter-editor" onClose={close}>
          <NewFilterChoice
            {...props}
            onApply={(next) => {
              close();
              button.current?.focus();
              onChange(next);
            }}
          />
        </LatePopover>
      )}
    </>
  );
}
