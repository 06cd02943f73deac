import { keepPreviousData } from '@tanstack/react-query';
import { type Answer, type Asked, type Body, bodyQuery, dataQuery } from '../../api/query.ts';

export type Retention = Answer<'/api/v1/retention'>;
export type Invitation = Answer<'/api/v1/invitations'>[number];
export type Provider = Answer<'/api/v1/identity-providers'>[number];
export type Session = Answer<'/api/v1/sessions'>[number];
export type AuditEntry = AuditPage['data'][number];

export const auditPath = '/api/v1/audit-log';
export type AuditPage = Body<typeof auditPath>;

export const retentionKey = ['/api/v1/retention'];
export const invitationsKey = ['/api/v1/invitations'];
export const providersKey = ['/api/v1/identity-providers'];
export const policyKey = ['/api/v1/sign-in-policy'];
export const sessionsKey = ['/api/v1/sessions'];

export const retentionQuery = { ...dataQuery('/api/v1/retention'), refetchInterval: 15_000 };
export const invitationsQuery = dataQuery('/api/v1/invitations');
export const providersQuery = dataQuery('/api/v1/identity-providers');
export const policyQuery = dataQuery('/api/v1/sign-in-policy');

export const sessionSorts = ['last_used', 'created', 'expires', 'holder', 'role', 'address'] as const;

export const sessionsQuery = (query: Asked<'/api/v1/sessions'>) => ({
  ...bodyQuery('/api/v1/sessions', { query }),
  placeholderData: keepPreviousData,
});
