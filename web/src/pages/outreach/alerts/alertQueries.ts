import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { api } from '../../../api/client.ts';
import { bodyQuery, dataQuery, everySeconds } from '../../../api/query.ts';
import type { paths } from '../../../api/schema.d.ts';
import { useOrganizationId } from '../../../api/session.ts';
import { alertType } from '../../../parts/alerts/alertTypes.ts';
import { alertsKey, measurementsKey, withAlertTypes } from '../../../parts/alerts/queries.ts';
import type {
  AlertSettings,
  ListedAlert,
  Measure,
  Preview,
  Rule,
  Scope,
} from '../../../parts/alerts/types.ts';
import { useWhyNot } from '../../../ui/rights.tsx';
import type { Removal } from '../../../ui/rowActions.tsx';
import { useChange } from '../../../ui/useChange.ts';

export function useAlert(id: string, { isLive = true } = {}) {
  return useQuery({
    ...withAlertTypes(bodyQuery('/api/v1/alerts/{id}', { path: { id } })),
    refetchInterval: isLive ? 15_000 : false,
  });
}

export function useTriggers(id: string, page: number) {
  return useQuery({
    ...bodyQuery('/api/v1/alerts/{id}/triggers', { path: { id }, query: { page, per_page: 20 } }),
    ...everySeconds(15),
  });
}

export function useTrigger(id: string, triggerId: string) {
  return useQuery({
    ...dataQuery('/api/v1/alerts/{id}/triggers/{trigger_id}', { path: { id, trigger_id: triggerId } }),
    refetchInterval: 15_000,
  });
}

export type PreviewedRule = Omit<Rule, 'measure' | 'threshold_amount'> & {
  measure: Measure;
  threshold_amount: number | null;
  /** Null while it is incomplete. */
  scope: Scope | null;
};

/** What an answer depends on beside the threshold. */
export function ruleKeyOf({ alert_type, measure, check_frequency, period, scope }: PreviewedRule) {
  return [alert_type, measure, check_frequency, period, JSON.stringify(scope)];
}

/** When the rule would have triggered in the past, and the forecast of its period. */
function previewOptions(rule: PreviewedRule) {
  const { alert_type, measure, check_frequency, period, scope, threshold_amount } = rule;
  return queryOptions<Preview>({
    enabled: scope !== null,
    queryKey: ['/api/v1/alerts/preview', ...ruleKeyOf(rule), threshold_amount],
    queryFn: async ({ signal }) => {
      // While no threshold is typed, one that never triggers gets the values.
      const threshold = threshold_amount ?? alertType(rule).max_threshold;
      const body = {
        alert_type,
        measure,
        check_frequency,
        period,
        scope: scope!,
        name: 'Preview',
        threshold_amount: threshold,
      };
      return (await api.POST('/api/v1/alerts/preview', { body, signal })).data!.data;
    },
    staleTime: 60_000,
  });
}

/** While a threshold is being typed, the answer for the previous one stays visible. */
export function usePreview(rule: PreviewedRule) {
  return useQuery({
    ...previewOptions(rule),
    placeholderData: (previous, query) => {
      const [, ...asked] = query?.queryKey ?? [];
      const isSame = ruleKeyOf(rule).every((part, index) => asked[index] === part);
      return isSame ? previous : undefined;
    },
  });
}

export type Notified = NonNullable<
  paths['/api/v1/alerts/reach']['post']['requestBody']
>['content']['application/json'];

/** Whom an alert with these settings notifies now. */
export function useReach(notified: Notified) {
  return useQuery({
    queryKey: ['/api/v1/alerts/reach', notified],
    queryFn: async ({ signal }) =>
      (await api.POST('/api/v1/alerts/reach', { body: notified, signal })).data!.data,
    placeholderData: keepPreviousData,
  });
}

/** One outcome for all: the first thing that went wrong, or how many accepted the message. */
export function useTestAlert() {
  return useChange({
    act: async (notified: Notified) => {
      const { receivers } = (await api.POST('/api/v1/alerts/test', { body: notified })).data!.data;
      const failed = receivers.filter(({ delivered }) => !delivered);
      return {
        delivered: failed.length === 0,
        error: failed.map(({ to, error }) => `${to}: ${error}`).join(' ') || null,
        count: receivers.length,
      };
    },
    isErrorShown: true,
  });
}

const refresh = [
  alertsKey,
  measurementsKey,
  ['/api/v1/alerts/{id}'],
  ['/api/v1/alerts/{id}/triggers'],
  ['/api/v1/alerts/{id}/triggers/{trigger_id}'],
];

/** Creates or changes an alert. Sends only changed fields, so that changes by others stay. */
export function useSaveAlert(id: string | undefined) {
  const orgId = useOrganizationId();
  return useChange({
    act: async ({ settings, changes }: { settings: AlertSettings; changes: Partial<AlertSettings> }) => {
      if (id === undefined) {
        const params = { query: { org_id: orgId } };
        return (await api.POST('/api/v1/alerts', { params, body: settings })).data!;
      }
      return (await api.PUT('/api/v1/alerts/{id}', { params: { path: { id } }, body: changes })).data!;
    },
    done: ({ name }) => (id === undefined ? `“${name}” was created.` : `“${name}” was saved.`),
    refresh,
    isErrorShown: true,
  });
}

export function useSnoozeAlert({ id, name }: Pick<ListedAlert, 'id' | 'name'>) {
  return useChange({
    act: async (until: string | null) => {
      const body = { snoozed_until: until };
      return (await api.PUT('/api/v1/alerts/{id}', { params: { path: { id } }, body })).data!;
    },
    done: ({ snoozed_until }) =>
      snoozed_until === null ? `“${name}” notifies again.` : `“${name}” is snoozed.`,
    refresh,
  });
}

export function useAcknowledge(id: string, triggerId: string) {
  return useChange({
    act: async (note: string) => {
      const path = { id, trigger_id: triggerId };
      await api.POST('/api/v1/alerts/{id}/triggers/{trigger_id}/acknowledge', {
        params: { path },
        body: note.trim() === '' ? {} : { note },
      });
    },
    refresh,
  });
}

/** Turns an alert on and off. */
export const switchOf = ({ id, name }: Pick<ListedAlert, 'id' | 'name'>) => ({
  act: (enabled: boolean) => api.PUT('/api/v1/alerts/{id}', { params: { path: { id } }, body: { enabled } }),
  done: (isOn: boolean) => `“${name}” is ${isOn ? 'on' : 'off'}.`,
  refresh,
});

export function useCheckAlert(id: string) {
  return useChange({
    act: async () => (await api.POST('/api/v1/alerts/{id}/check', { params: { path: { id } } })).data!,
    refresh,
  });
}

export const removal: Removal<Pick<ListedAlert, 'id' | 'name' | 'enabled'>> = {
  what: 'alert',
  text: ({ name }) =>
    `This deletes “${name}” and its triggers, and resolves an open trigger. This cannot be undone.`,
  act: ({ id }) => api.DELETE('/api/v1/alerts/{id}', { params: { path: { id } } }),
  done: ({ name }) => `“${name}” was deleted.`,
  refresh: [alertsKey, measurementsKey],
  instead: (alert) => {
    const { act, done } = switchOf(alert);
    if (!alert.enabled) return null;
    return { label: 'Turn off instead', act: () => act(false), done: done(false), refresh };
  },
};

export function useWhyNoChange(): string | null {
  return useWhyNot()({ role: 'member', scope: 'alerts:write' });
}
