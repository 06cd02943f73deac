import type { Ref } from 'react';

type Props = {
  ref: Ref<HTMLInputElement>;
  label: string;
  multiple?: boolean;
  onFiles: (files: File[]) => void;
};

/** Hidden: a button clicks it. It takes the same file again. */
export function FileInput({ ref, label, multiple = false, onFiles }: Props) {
  return (
    <input
      ref={ref}
      type="file"
      accept=".csv,text/csv"
      multiple={multiple}
      hidden
      aria-label={label}
      onChange={({ currentTarget }) => {
        const files = [...(currentTarget.files ?? [])];
        currentTarget.value = '';
        onFiles(files);
      }}
    />
  );
}
