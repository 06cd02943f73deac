import { Modal, type ModalProps } from '@mantine/core';

type Props = Omit<ModalProps, 'opened' | 'onClose'> & {
  title: string;
  /** Without it, nothing but what is in the dialog closes it. */
  onClose?: () => void;
};

/** A dialog over the page, for as long as it is rendered. */
export function Dialog({ onClose, ...props }: Props) {
  const isClosable = onClose !== undefined;
  return (
    <Modal
      opened
      onClose={onClose ?? (() => undefined)}
      withCloseButton={isClosable}
      closeOnEscape={isClosable}
      closeOnClickOutside={isClosable}
      closeButtonProps={{ 'aria-label': 'Close' }}
      size="lg"
      {...props}
    />
  );
}
