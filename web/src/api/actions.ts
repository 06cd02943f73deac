// Written by `npm run api-types` from the verbs that create and have a page.
export const verbActions = [
  { label: 'Create a token', go: '/settings/tokens?new=token', needs: { scope: 'admin', role: 'admin' } },
  {
    label: 'Create a webhook',
    go: '/webhooks?new=webhook',
    needs: { scope: 'webhooks:write', role: 'admin' },
  },
  { label: 'Connect GitLab', go: '/sources/gitlab', needs: { scope: 'admin', role: 'admin' } },
  { label: 'Create an export', go: '/exports?new=export', needs: { scope: 'exports:write', role: 'member' } },
  { label: 'Create an alert', go: '/alerts/new', needs: { scope: 'alerts:write', role: 'member' } },
  {
    label: 'Send the close of a month',
    go: '/bill?view=close',
    needs: { scope: 'alerts:write', role: 'viewer' },
  },
] as const;
