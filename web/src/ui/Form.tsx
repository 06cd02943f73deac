import {
  Button,
  Checkbox,
  Fieldset,
  Group,
  PasswordInput,
  SimpleGrid,
  Stack,
  Switch,
  Textarea,
  TextInput,
  type CheckboxProps,
  type MantineSize,
  type PasswordInputProps,
  type SwitchProps,
  type TextareaProps,
  type TextInputProps,
} from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import {
  createElement,
  Fragment,
  isValidElement,
  useId,
  useState,
  type ReactElement,
  type ReactNode,
} from 'react';
import { Choice, type ChoiceProps } from './Choice.tsx';
import { Dialog } from './Dialog.tsx';
import { FormError } from './FormError.tsx';
import { PlainForm } from './PlainForm.tsx';
import { SaveRow } from './SaveRow.tsx';
import { Note } from './text.tsx';
import { changesOf, trimmed } from './typed.ts';
import { errorOf, useChange } from './useChange.ts';

type Own = 'value' | 'onChange' | 'name' | 'kind';
type Declared<Kind extends string, Props> = { kind: Kind } & Omit<Props, Own>;

/** Its name is that of the server's field, whose error it shows. Other properties are those of its input. */
export type Field<Values> = {
  name: keyof Values & string;
  /** Whether spaces around the text count. */
  isAsTyped?: boolean;
  'data-autofocus'?: boolean;
} & (
  | ({ kind?: 'text' } & Omit<TextInputProps, Own>)
  | Declared<'secret', PasswordInputProps>
  | Declared<'lines', TextareaProps>
  /** `chosen` shows another choice than the value, `onChosen` follows one on which other fields depend. */
  | (Declared<'choice', ChoiceProps> & { chosen?: string | null; onChosen?: (chosen: string | null) => void })
  | Declared<'switch', SwitchProps>
  | Declared<'check', CheckboxProps>
);

/** A field, any other element, `[a, b]` side by side, or a part with a title. */
export type Item<Values> =
  | Field<Values>
  | ReactElement
  | readonly Item<Values>[]
  | { title: string; parts: readonly Item<Values>[] }
  | false
  | null;

/** For a field whose description explains what was chosen. */
export const below: Pick<TextInputProps, 'inputWrapperOrder'> = {
  inputWrapperOrder: ['label', 'input', 'description', 'error'],
};

type Input<Value> = { value: Value; onChange: (value: Value) => void; error: string | null };

export type FormState<Values> = {
  values: Values;
  errorAt: (name: string) => string | null;
  change: (changes: Partial<Values>) => void;
  /** For inputs of another kind. `also` is another name that the server has for the field. */
  input: <Name extends keyof Values & string>(name: Name, also?: string) => Input<Values[Name]>;
};

export function formOf<Values>(
  values: Values,
  change: (changes: Partial<Values>) => void,
  errorAt: (name: string) => string | null,
): FormState<Values> {
  return {
    values,
    change,
    errorAt,
    input: (name, also) => ({
      value: values[name],
      error: errorAt(name) ?? (also === undefined ? null : errorAt(also)),
      onChange: (value) => change({ [name]: value } as unknown as Partial<Values>),
    }),
  };
}

type ListProps<Values> = { form: FormState<Values>; list: readonly Item<Values>[] };

export function Fields<Values>({ form, list }: ListProps<Values>) {
  return createElement(Fragment, null, ...list.map((item) => drawn(item, form)));
}

function drawn<Values>(item: Item<Values>, form: FormState<Values>): ReactNode {
  if (!item || isValidElement(item)) return item;
  if (isRow(item))
    return (
      <SimpleGrid cols={{ base: 1, xs: item.length }}>
        <Fields form={form} list={item} />
      </SimpleGrid>
    );
  if ('parts' in item)
    return (
      <Fieldset
        legend={item.title}
        variant="unstyled"
        styles={{ root: { padding: 0, margin: 0 }, legend: { padding: 0, fontWeight: 600 } }}
      >
        <Stack gap="sm" mt="xs">
          <Fields form={form} list={item.parts} />
        </Stack>
      </Fieldset>
    );
  const field = item as Field<Values>;
  return <FieldInput key={field.name} field={field} form={form} />;
}

const isRow = <Values,>(item: Item<Values>): item is readonly Item<Values>[] => Array.isArray(item);

type Changed = { currentTarget: { value: string; checked?: boolean } };

function FieldInput<Values>({ field, form }: { field: Field<Values>; form: FormState<Values> }) {
  const { name, kind = 'text', isAsTyped: _, ...props } = field;
  const { value, onChange, error: faulted } = form.input(name) as Input<unknown>;
  const error = props.error ?? faulted;
  const typed = {
    value: (value ?? '') as string,
    onChange: ({ currentTarget }: Changed) => onChange(currentTarget.value),
    error,
    'aria-invalid': error ? true : undefined,
  };
  const { checked = value as boolean } = props as SwitchProps;
  const turned = {
    checked,
    onChange: ({ currentTarget }: Changed) => onChange(currentTarget.checked),
    error,
  };
  switch (kind) {
    case 'secret':
      return <PasswordInput autoComplete="off" {...(props as PasswordInputProps)} {...typed} />;
    case 'lines':
      return <Textarea autosize {...(props as TextareaProps)} {...typed} />;
    case 'choice': {
      const { chosen = value, onChosen, ...choice } = props as Extract<Field<Values>, { kind: 'choice' }>;
      const choose = (next: string | null) => {
        onChange(next);
        onChosen?.(next);
      };
      return (
        <Choice {...choice} none={choice.none!} value={chosen as string} onChange={choose} error={error} />
      );
    }
    case 'switch':
      return <Switch {...(props as SwitchProps)} {...turned} />;
    case 'check':
      return <Checkbox {...(props as CheckboxProps)} {...turned} />;
    case 'text':
      return <TextInput {...(props as TextInputProps)} {...typed} />;
  }
}

function fieldsIn<Values>(items: readonly Item<Values>[]): Field<Values>[] {
  return items.flatMap((item) => {
    if (!item || isValidElement(item)) return [];
    if (isRow(item)) return fieldsIn(item);
    return 'parts' in item ? fieldsIn(item.parts) : [item as Field<Values>];
  });
}

export function namesIn<Values>(items: readonly Item<Values>[]): string[] {
  return fieldsIn(items).map(({ name }) => name);
}

type Declaration<Values, Output> = {
  initial: Values;
  fields: readonly Item<Values>[] | ((form: FormState<Values>) => readonly Item<Values>[]);
  act: (values: Values) => Promise<Output>;
  done?: string;
  /** Key prefixes of the queries to reload afterwards. */
  refresh?: unknown[][];
  /** Of another request of the form, such as a test. */
  error?: Error | null;
  onChange?: () => void;
};

function useForm<Values extends object, Output>({
  initial,
  fields,
  act,
  done,
  refresh = [],
  error: otherError = null,
  onChange,
}: Declaration<Values, Output>) {
  const [first] = useState(initial);
  const [values, setValues] = useState(first);
  const save = useChange({
    act,
    ...(done !== undefined && { done }),
    refresh,
    isErrorShown: true,
  });
  const error = save.error ?? otherError;
  const asked: string[] = [];
  const form = formOf(
    values,
    (changes) => {
      setValues((before) => ({ ...before, ...changes }));
      // Its error is that of the values before. A reset while it runs would lose its end.
      if (save.isError) save.reset();
      onChange?.();
    },
    (name) => {
      asked.push(name);
      return errorOf(error, name);
    },
  );
  const list = typeof fields === 'function' ? fields(form) : fields;
  const asTyped = fieldsIn(list).flatMap(({ name, isAsTyped }) => (isAsTyped ? [name] : []));
  const typed = trimmed(values, asTyped);
  return {
    typed,
    save,
    error,
    isDirty: Object.keys(changesOf(trimmed(first, asTyped), typed)).length > 0,
    discard: () => setValues(first),
    shown: [...asked, ...namesIn(list)],
    content: <Fields form={form} list={list} />,
  };
}

type DialogProps<Values, Output> = Declaration<Values, Output> & {
  title: string;
  size?: MantineSize;
  label: string | ((values: Values) => string);
  /** What the form still needs. Shown beside its button, which is disabled until then. */
  missing?: (values: Values) => string | null;
  isDisabled?: (values: Values) => boolean;
  /** Shown instead of the form after the change, such as a new secret. By default, the form closes. */
  after?: (output: Output) => ReactNode;
  onClose: () => void;
};

/** A form in a dialog, declared by its fields. */
export function Form<Values extends object, Output>(props: DialogProps<Values, Output>) {
  const { title, size, label, isDisabled, after, onClose } = props;
  const { typed, save, error, shown, content } = useForm(props);
  const missingId = useId();
  if (after && save.data !== undefined) return after(save.data);
  const missing = props.missing?.(typed) ?? null;
  return (
    <Dialog {...(size && { size })} onClose={onClose} title={title}>
      <PlainForm
        error={error}
        onSubmit={() => {
          save.mutate(typed, after ? {} : { onSuccess: onClose });
        }}
      >
        <Stack>
          {content}
          <FormError error={error} fields={shown} />
          <Group justify="flex-end" className="dialog-actions">
            {missing !== null && (
              <Note id={missingId} className="dialog-missing">
                {missing}
              </Note>
            )}
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button
              type="submit"
              disabled={missing !== null || isDisabled?.(typed) === true}
              aria-describedby={missing === null ? undefined : missingId}
              loading={save.isPending}
            >
              {typeof label === 'function' ? label(typed) : label}
            </Button>
          </Group>
        </Stack>
      </PlainForm>
    </Dialog>
  );
}

type StepProps<Values, Output> = Declaration<Values, Output> & {
  label: string;
  maw?: number;
  /** Whether the button is as wide as the form. */
  isWide?: boolean;
  onDone: (output: Output) => void;
  /** Another button. */
  beside?: ReactNode;
  /** Below the button. */
  children?: ReactNode;
};

/** A form on a page that leads to the next step. */
export function StepForm<Values extends object, Output>(props: StepProps<Values, Output>) {
  const { label, maw, isWide = false, onDone, beside, children } = props;
  const { typed, save, error, shown, content } = useForm(props);
  return (
    <PlainForm
      error={error}
      onSubmit={() => {
        save.mutate(typed, { onSuccess: onDone });
      }}
    >
      <Stack {...(maw && { maw })}>
        {content}
        <FormError error={error} fields={shown} />
        <Group gap="xs">
          {/* It stays busy until the next step is there. */}
          <Button type="submit" loading={save.isPending || save.isSuccess} fullWidth={isWide}>
            {label}
          </Button>
          {beside}
        </Group>
        {children}
      </Stack>
    </PlainForm>
  );
}

type PageProps<Values, Asked> = Declaration<Values, unknown> & {
  columns?: number;
  /** What to ask before the change; null if there is nothing to ask. */
  check?: (values: Values) => Promise<Asked | null>;
  confirm?: (
    asked: Asked,
    save: { isPending: boolean; mutate: () => void },
    onClose: () => void,
  ) => ReactNode;
  /** Beside the buttons. */
  note?: ReactNode;
};

/** One of the forms of a page. Only this form is reset when what is saved of it changes. */
export function PageForm<Values extends object, Asked>(props: PageProps<Values, Asked>) {
  return <Saved key={JSON.stringify(props.initial)} {...props} />;
}

function Saved<Values extends object, Asked>(props: PageProps<Values, Asked>) {
  const { columns = 1, check = async () => null, confirm, note } = props;
  const [asked, setAsked] = useState<{ found: Asked; values: Values } | null>(null);
  const look = useMutation({ mutationFn: check });
  const { typed, save, error, shown, content, isDirty, discard } = useForm({
    ...props,
    error: look.error,
    onChange: () => {
      if (look.isError) look.reset();
    },
  });
  const reset = () => {
    save.reset();
    look.reset();
  };
  // The values that were checked: somebody can type on during the check.
  const saveChecked = (values: Values) => save.mutate(values, { onSettled: () => setAsked(null) });
  return (
    <PlainForm
      error={error}
      onSubmit={() => {
        reset();
        look.mutate(typed, {
          onSuccess: (found) => (found === null ? saveChecked(typed) : setAsked({ found, values: typed })),
        });
      }}
    >
      <Stack>
        {columns > 1 ? <SimpleGrid cols={{ base: 1, md: columns }}>{content}</SimpleGrid> : content}
        <FormError error={error} fields={shown} />
        <SaveRow
          isDirty={isDirty}
          isBusy={save.isPending || look.isPending}
          onDiscard={() => {
            discard();
            reset();
          }}
        >
          {note}
        </SaveRow>
      </Stack>
      {asked !== null &&
        confirm?.(asked.found, { isPending: save.isPending, mutate: () => saveChecked(asked.values) }, () =>
          setAsked(null),
        )}
    </PlainForm>
  );
}
