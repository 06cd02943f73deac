import { Switch, TextInput } from '@mantine/core';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useSession } from '../../api/session.ts';
import { Choice } from '../../ui/Choice.tsx';
import { FormDialog } from '../../ui/FormDialog.tsx';
import { rolesUpTo, type Role } from '../../ui/rights.tsx';
import { faultOf, useChange } from '../../ui/useChange.ts';
import { membersKey, type Member } from './queries.ts';
import { roleWords, whyNotMailed } from './words.ts';

type Values = { email: string; name: string | null; role: Role; alert_emails: boolean };

function valuesOf(member: Member | null): Values {
  if (!member) return { email: '', name: null, role: 'member', alert_emails: true };
  const { email, name, role, alert_emails } = member;
  return { email, name, role, alert_emails };
}

/** Adds a member, or changes the one that is given. */
export function MemberForm({ member, onClose }: { member: Member | null; onClose: () => void }) {
  const [values, setValues] = useState(() => valuesOf(member));
  const noMail = whyNotMailed(values.role);
  const { data: session } = useSession();
  const save = useChange({
    act: async () => {
      const body = { ...values, name: values.name?.trim() || null };
      if (member) await api.PUT('/api/v1/members/{id}', { params: { path: { id: member.id } }, body });
      else await api.POST('/api/v1/members', { body });
    },
    done: member ? 'The member has been changed.' : 'The member has been added.',
    refresh: [membersKey, ['session']],
    isFaultShown: true,
  });
  return (
    <FormDialog
      title={member ? 'Edit the member' : 'Add a member'}
      size="md"
      deed={member ? 'Save' : 'Add'}
      isBusy={save.isPending}
      error={save.error}
      fields={['email', 'name', 'role']}
      onSubmit={() => save.mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    >
      <TextInput
        label="Email"
        type="email"
        required
        maxLength={254}
        data-autofocus
        value={values.email}
        onChange={(event) => setValues({ ...values, email: event.currentTarget.value })}
        error={faultOf(save.error, 'email')}
      />
      <TextInput
        label="Name (optional)"
        maxLength={255}
        value={values.name ?? ''}
        onChange={(event) => setValues({ ...values, name: event.currentTarget.value })}
        error={faultOf(save.error, 'name')}
      />
      <Choice
        label="Role"
        description={roleWords[values.role]}
        options={rolesUpTo(session?.role ?? 'viewer')}
        value={values.role}
        onChange={(role) => setValues({ ...values, role })}
        error={faultOf(save.error, 'role')}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
      />
      <Switch
        label="Mail alerts to this person"
        description={noMail}
        disabled={noMail !== null}
        checked={values.alert_emails && noMail === null}
        onChange={(event) => setValues({ ...values, alert_emails: event.currentTarget.checked })}
      />
    </FormDialog>
  );
}
