import { changed, say, type AuditedKind } from '../../tenancy/audit/words.ts';

export const alert = {
  title: 'Alerts',
  page: '/alerts/',
  words: {
    acknowledge: 'acknowledged the alert',
    check: 'checked the alert',
    create: ({ alert_type: type }, { name }) => say`created the ${type} alert ${name && `“${name}”`}`,
    delete: 'deleted the alert',
    test: ({ to }) => say`sent a test message of an alert to ${to}`,
    update: changed('the alert'),
  },
} satisfies AuditedKind;
