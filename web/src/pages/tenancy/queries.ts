import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Answer } from '../../api/answer.ts';
import { api } from '../../api/client.ts';
import type { paths } from '../../api/schema.d.ts';

export type Organization = Answer<'/api/v1/organization'>;
export type Retention = Answer<'/api/v1/retention'>;
export type Member = Answer<'/api/v1/members'>[number];
export type Invitation = Answer<'/api/v1/invitations'>[number];
export type Token = Answer<'/api/v1/tokens'>[number];
export type Provider = Answer<'/api/v1/identity-providers'>[number];
export type Source = Answer<'/api/v1/sources'>[number];
export type Session = Answer<'/api/v1/sessions'>[number];
export type AuditEntry = AuditPage['data'][number];

export const auditPath = '/api/v1/audit-log';
export type AuditPage = paths[typeof auditPath]['get']['responses'][200]['content']['application/json'];

export const organizationKey = ['/api/v1/organization'];
export const retentionKey = ['/api/v1/retention'];
export const membersKey = ['/api/v1/members'];
export const invitationsKey = ['/api/v1/invitations'];
export const tokensKey = ['/api/v1/tokens'];
export const providersKey = ['/api/v1/identity-providers'];
export const policyKey = ['/api/v1/sign-in-policy'];
export const sourcesKey = ['/api/v1/sources'];

export const organizationQuery = queryOptions({
  queryKey: organizationKey,
  queryFn: async () => (await api.GET('/api/v1/organization')).data!.data,
});

export const retentionQuery = queryOptions({
  queryKey: retentionKey,
  queryFn: async () => (await api.GET('/api/v1/retention')).data!.data,
  refetchInterval: 15_000,
});

export const membersQuery = queryOptions({
  queryKey: membersKey,
  queryFn: async () => (await api.GET('/api/v1/members')).data!.data,
});

export const invitationsQuery = queryOptions({
  queryKey: invitationsKey,
  queryFn: async () => (await api.GET('/api/v1/invitations')).data!.data,
});

export const tokensQuery = queryOptions({
  queryKey: tokensKey,
  queryFn: async () => (await api.GET('/api/v1/tokens')).data!.data,
});

export const providersQuery = queryOptions({
  queryKey: providersKey,
  queryFn: async () => (await api.GET('/api/v1/identity-providers')).data!.data,
});

export const policyQuery = queryOptions({
  queryKey: policyKey,
  queryFn: async () => (await api.GET('/api/v1/sign-in-policy')).data!.data,
});

export const sourcesQuery = queryOptions({
  queryKey: sourcesKey,
  queryFn: async () => (await api.GET('/api/v1/sources')).data!.data,
  refetchInterval: 15_000,
});

export const sessionsKey = ['/api/v1/sessions'];

type SessionsAsked = NonNullable<paths['/api/v1/sessions']['get']['parameters']['query']>;
export const sessionSorts = ['last_used', 'created', 'expires', 'holder', 'role', 'address'] as const;

export const sessionsQuery = (asked: SessionsAsked) =>
  queryOptions({
    queryKey: [...sessionsKey, asked],
    queryFn: async () => (await api.GET('/api/v1/sessions', { params: { query: asked } })).data!,
    placeholderData: keepPreviousData,
  });

export const recentRunsQuery = (orgId: string) =>
  queryOptions({
    queryKey: ['/api/v1/dashboard/recent-runs', orgId, 'first run'],
    queryFn: async () => {
      const query = { org_id: orgId, limit: 100 };
      return (await api.GET('/api/v1/dashboard/recent-runs', { params: { query } })).data!.runs;
    },
  });
