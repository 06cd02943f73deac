import { useEffect, useRef, type ComponentProps } from 'react';

type FormProps = Omit<ComponentProps<'form'>, 'onSubmit'> & {
  onSubmit: () => void;
  /** Why the form was refused: the focus moves to the first field with an error, or back to the button. */
  error?: Error | null;
};

export function PlainForm({ onSubmit, error = null, ...props }: FormProps) {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (!error) return;
    const refused = form.current!.querySelector<HTMLElement>('[aria-invalid="true"]');
    // The button was disabled while it was busy, and so lost the focus.
    if (refused) refused.focus();
    else if (document.activeElement === document.body)
      form.current!.querySelector<HTMLElement>('[type="submit"]')!.focus();
  }, [error]);
  return (
    <form
      {...props}
      ref={form}
      // Before the page's scripts, the browser would send the fields in the address.
      method="dialog"
      onSubmit={(event) => {
        event.preventDefault();
        // A dialog's form can stand within another, by way of React.
        event.stopPropagation();
        onSubmit();
      }}
    />
  );
}
