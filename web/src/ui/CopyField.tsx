import { Button, TextInput, type ButtonProps } from '@mantine/core';
import { useEffect, useState, type ReactNode } from 'react';

const shownMilliseconds = 2_000;

/** Pages over plain HTTP have no clipboard API, so they fall back to `execCommand`. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement('textarea');
    area.value = text;
    area.style.position = 'fixed';
    const focused = document.activeElement;
    document.body.append(area);
    area.select();
    // oxlint-disable-next-line typescript/no-deprecated -- the only way without a clipboard API
    const isCopied = document.execCommand('copy');
    area.remove();
    if (focused instanceof HTMLElement) focused.focus();
    return isCopied;
  }
}

type CopyProps = ButtonProps & { text: string; what: string; label?: string };

/** `what` is read to screen readers: `Copy the secret`. */
export function CopyButton({ text, what, label = 'Copy', ...props }: CopyProps) {
  const [result, setResult] = useState<'Copied' | 'Copy failed' | null>(null);
  useEffect(() => {
    if (result === null) return;
    const timer = setTimeout(() => setResult(null), shownMilliseconds);
    return () => clearTimeout(timer);
  }, [result]);
  return (
    <Button
      size="compact-sm"
      variant="default"
      {...props}
      aria-label={result ? undefined : `Copy ${what}`}
      onClick={() => void copyText(text).then((isCopied) => setResult(isCopied ? 'Copied' : 'Copy failed'))}
    >
      <span aria-live="polite">{result ?? label}</span>
    </Button>
  );
}

type FieldProps = { label: string; what: string; value: string; description?: ReactNode };

export function CopyField({ label, what, value, description }: FieldProps) {
  return (
    <TextInput
      label={label}
      description={description}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      value={value}
      readOnly
      spellCheck={false}
      autoComplete="off"
      styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', textOverflow: 'ellipsis' } }}
      onFocus={(event) => event.currentTarget.select()}
      rightSectionWidth={84}
      rightSection={<CopyButton text={value} what={what} variant="subtle" />}
    />
  );
}
