import { InputBase } from '@mantine/core';

/** In a narrow dialog, where a browser cannot make the field as high as its text. */
const lettersPerRow = 44;

/** All of what nobody can see again. A button to copy it stands below. */
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
