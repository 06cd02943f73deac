import { InputBase } from '@mantine/core';

/** Characters per row in a narrow dialog. Not every browser can size a field to its text. */
const lettersPerRow = 44;

/** A whole secret or link that Runcost shows only once. Its Copy button is below. */
export function OnceField({ value }: { value: string }) {
  return (
    <InputBase
      component="textarea"
      multiline
      label="Shown only once"
      value={value}
      readOnly
      rows={Math.ceil(value.length / lettersPerRow)}
      spellCheck={false}
      autoComplete="off"
      className="once-field"
      onFocus={(event) => event.currentTarget.select()}
    />
  );
}
