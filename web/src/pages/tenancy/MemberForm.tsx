import { Switch, TextInput } from '@mantine/core';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { membersKey, type Member } from '../../api/queries.ts';
import { FormDialog } from '../../ui/FormDialog.tsx';
import { type Role, whyNoEmails } from '../../ui/rights.tsx';
import { errorOf, useChange } from '../../ui/useChange.ts';
import { RoleChoice } from './RoleChoice.tsx';

type Values = { email: string; name: string | null; role: Role; alert_emails: boolean };

function valuesOf(member: Member | null): Values {
  if (!member) return { email: '', name: null, role: 'member', alert_emails: true };
  const { email, name, role, alert_emails } = member;
  return { email, name, role, alert_emails };
}

export function MemberForm({ member, onClose }: { member: Member | null; onClose: () => void }) {
  const [values, setValues] = useState(() => valuesOf(member));
  const whyNoEmail = whyNoEmails(values.role);
  const save = useChange({
    act: async () => {
      const body = { ...values, name: values.name?.trim() || null };
      if (member) await api.PUT('/api/v1/members/{id}', { params: { path: { id: member.id } }, body });
      else await api.POST('/api/v1/members', { body });
    },
    done: member ? 'Member saved.' : 'Member added.',
    refresh: [membersKey, ['session']],
    isErrorShown: true,
  });
  return (
    <FormDialog
      title={member ? 'Edit member' : 'Add member'}
      size="md"
      label={member ? 'Save' : 'Add member'}
      change={save}
      fields={['email', 'name', 'role']}
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
        error={errorOf(save.error, 'email')}
      />
      <TextInput
        label="Name (optional)"
        maxLength={255}
        value={values.name ?? ''}
        onChange={(event) => setValues({ ...values, name: event.currentTarget.value })}
        error={errorOf(save.error, 'name')}
      />
      <RoleChoice
        value={values.role}
        onChange={(role) => setValues({ ...values, role })}
        error={save.error}
      />
      <Switch
        label="Send alert emails"
        description={whyNoEmail}
        disabled={whyNoEmail !== null}
        checked={values.alert_emails && whyNoEmail === null}
        onChange={(event) => setValues({ ...values, alert_emails: event.currentTarget.checked })}
      />
    </FormDialog>
  );
}
