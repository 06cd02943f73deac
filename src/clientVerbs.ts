// Written by `npm run api-types` from all verbs.
/* oxlint-disable max-lines */

/**
 * The request of each verb of the client, and where an answer in pages has its rows. Requests with `?org_id` need the
 * organization's id.
 */
export const clientVerbs = {
  organizations: {
    /** Get the organization. */
    get: 'GET /api/v1/organization',
    /** Change the organization. */
    update: 'PUT /api/v1/organization',
    /** Delete the organization. */
    delete: 'DELETE /api/v1/organization',
    demo: {
      /** Get the load of the demo. */
      get: 'GET /api/v1/organization/demo',
      /** Load the demo. */
      load: 'POST /api/v1/organization/demo',
    },
    /** List all organizations. */
    list: 'GET /api/v1/organizations',
    /** Create an organization. */
    create: 'POST /api/v1/organizations',
    retention: {
      /** Get how long runs are kept. */
      get: 'GET /api/v1/retention',
    },
    chat: {
      /** Send a test message to the chat webhook. */
      test: 'POST /api/v1/organization/chat-webhook/test',
    },
  },
  auditLogs: {
    /** List who changed what. */
    list: 'GET /api/v1/audit-log data',
  },
  members: {
    /** List the members. */
    list: 'GET /api/v1/members',
    /** Add a member. */
    add: 'POST /api/v1/members',
    /** Change a member. */
    update: 'PUT /api/v1/members/{id}',
    /** Remove a member. */
    remove: 'DELETE /api/v1/members/{id}',
    /** Send a test email to a member. */
    testEmail: 'POST /api/v1/members/{id}/test-email',
  },
  tokens: {
    /** List the tokens. */
    list: 'GET /api/v1/tokens',
    /** Create a token. */
    create: 'POST /api/v1/tokens',
    /** Revoke a token. */
    revoke: 'DELETE /api/v1/tokens/{id}',
    /** Revoke the token of this request. */
    revokeCurrent: 'DELETE /api/v1/tokens/current',
    /** Revoke all tokens. */
    revokeAll: 'POST /api/v1/tokens/revoke-all',
  },
  invitations: {
    /** List open invitations. */
    list: 'GET /api/v1/invitations',
    /** Invite somebody. */
    create: 'POST /api/v1/invitations',
    /** Send an invitation again. */
    resend: 'POST /api/v1/invitations/{id}/resend',
    /** Revoke an invitation. */
    revoke: 'DELETE /api/v1/invitations/{id}',
    /** Show an invitation. */
    show: 'POST /api/v1/invitation/open',
    /** Accept an invitation. */
    accept: 'POST /api/v1/invitation/accept',
    /** Accept an invitation by single sign-on. */
    signIn: 'POST /api/v1/invitation/sign-in',
  },
  sessions: {
    /** Sign in. */
    signIn: 'POST /api/v1/session',
    /** Get who is signed in. */
    get: 'GET /api/v1/session',
    /** Sign out. */
    signOut: 'DELETE /api/v1/session',
    /** List sessions. */
    list: 'GET /api/v1/sessions data',
    /** Sign out everywhere. */
    revokeAll: 'DELETE /api/v1/sessions',
    /** End a session. */
    revoke: 'DELETE /api/v1/sessions/{id}',
    organizations: {
      /** List your organizations. */
      list: 'GET /api/v1/session/organizations',
      /** Enter one of your organizations. */
      enter: 'POST /api/v1/session/organizations',
    },
  },
  logins: {
    /** Start a login. */
    start: 'POST /api/v1/logins',
    /** Get the token of a login. */
    poll: 'POST /api/v1/logins/poll',
    /** Get a login. */
    get: 'GET /api/v1/logins/{code}',
    /** Confirm a login. */
    approve: 'POST /api/v1/logins/{code}/approve',
    /** Refuse a login. */
    deny: 'POST /api/v1/logins/{code}/deny',
  },
  signInLinks: {
    /** Create a sign-in link. */
    create: 'POST /api/v1/sign-in-links',
  },
  hold: {
    /** Get what holds the server back. */
    get: 'GET /api/v1/hold',
    /** End the hold. */
    end: 'POST /api/v1/hold/end',
  },
  identityProviders: {
    /** List the identity providers. */
    list: 'GET /api/v1/identity-providers',
    /** Add an identity provider. */
    create: 'POST /api/v1/identity-providers',
    /** Change an identity provider. */
    update: 'PUT /api/v1/identity-providers/{id}',
    /** Remove an identity provider. */
    delete: 'DELETE /api/v1/identity-providers/{id}',
  },
  signInPolicy: {
    /** Get how members sign in. */
    get: 'GET /api/v1/sign-in-policy',
    /** Require single sign-on. */
    update: 'PUT /api/v1/sign-in-policy',
  },
  signInOptions: {
    /** Get the ways to sign in. */
    list: 'GET /api/v1/sign-in-options',
  },
  price: {
    settings: {
      /** Get the price settings. */
      get: 'GET /api/v1/pricing',
      /** Change the price settings. */
      update: 'PUT /api/v1/pricing',
    },
    kinds: {
      /** List the runner kinds. */
      list: 'GET /api/v1/pricing/runner-kinds',
    },
    includedMinutes: {
      /** Get the use of included minutes. */
      get: 'GET /api/v1/pricing/included-minutes',
    },
    rules: {
      /** List the pricing rules. */
      list: 'GET /api/v1/pricing/rules',
      /** Create a pricing rule. */
      create: 'POST /api/v1/pricing/rules',
      /** Change a pricing rule. */
      update: 'PUT /api/v1/pricing/rules/{id}',
      /** Delete a pricing rule. */
      delete: 'DELETE /api/v1/pricing/rules/{id}',
    },
    hints: {
      /** Use the rate of a hint. */
      accept: 'POST /api/v1/pricing/hints/{id}/accept',
      /** List what third-party runners cost. */
      list: 'GET /api/v1/pricing/hints',
    },
    publishedTerms: {
      /** List what providers include and do not bill. */
      list: 'GET /api/v1/pricing/published-terms',
    },
    terms: {
      /** List the billing terms. */
      list: 'GET /api/v1/pricing/terms',
      /** Replace the billing terms. */
      replace: 'PUT /api/v1/pricing/terms',
      /** Set the billing terms from a day. */
      set: 'POST /api/v1/pricing/terms',
      /** Remove the billing terms from a day. */
      remove: 'DELETE /api/v1/pricing/terms',
    },
    shadowRates: {
      /** List the shadow rates. */
      list: 'GET /api/v1/pricing/shadow-rates',
      /** Set the shadow rates. */
      set: 'PUT /api/v1/pricing/shadow-rates',
    },
    shadowCost: {
      /** Get the cost of unbilled runners at the shadow rates. */
      get: 'GET /api/v1/pricing/shadow',
    },
    includedProducts: {
      /** Get the use of included storage and AI credits. */
      list: 'GET /api/v1/pricing/included-products',
    },
    unpricedRunners: {
      /** List runners without a price. */
      list: 'GET /api/v1/pricing/unpriced data',
    },
    /** Preview other prices. */
    whatIf: 'POST /api/v1/pricing/what-if',
    /** Switch to the next price list and reprice. */
    switch: 'POST /api/v1/pricing/switch',
  },
  priceLists: {
    /** List the price lists. */
    list: 'GET /api/v1/pricing/books',
    /** Create a price list. */
    create: 'POST /api/v1/pricing/books',
    /** Get a price list. */
    get: 'GET /api/v1/pricing/books/{id}',
    /** Change a price list. */
    update: 'PUT /api/v1/pricing/books/{id}',
    /** Delete a price list. */
    delete: 'DELETE /api/v1/pricing/books/{id}',
  },
  runnerPools: {
    /** List the runner pools. */
    list: 'GET /api/v1/runner-pools',
    /** Create a runner pool. */
    create: 'POST /api/v1/runner-pools',
    /** Change a runner pool. */
    update: 'PUT /api/v1/runner-pools/{id}',
    /** Delete a runner pool. */
    delete: 'DELETE /api/v1/runner-pools/{id}',
    /** Import what runner pools cost. */
    import: 'POST /api/v1/runner-pools/import',
  },
  ownership: {
    rules: {
      /** List the ownership rules. */
      list: 'GET /api/v1/ownership/rules data',
      /** Create an ownership rule. */
      create: 'POST /api/v1/ownership/rules',
      /** Get an ownership rule. */
      get: 'GET /api/v1/ownership/rules/{id}',
      /** Change an ownership rule. */
      update: 'PUT /api/v1/ownership/rules/{id}',
      /** Delete an ownership rule. */
      delete: 'DELETE /api/v1/ownership/rules/{id}',
      /** Download the ownership rules as CSV. */
      export: 'GET /api/v1/ownership/csv',
    },
    imports: {
      /** Import owners from GitHub. */
      start: 'POST /api/v1/ownership/imports',
      /** Cancel an import of owners. */
      cancel: 'POST /api/v1/ownership/imports/{id}/cancel',
      /** Get an import of owners. */
      get: 'GET /api/v1/ownership/imports/{id}',
      /** List the imports of owners. */
      list: 'GET /api/v1/ownership/imports data',
    },
    costs: {
      /** Get what each ownership rule decides about. */
      list: 'GET /api/v1/ownership/costs',
    },
  },
  actors: {
    patterns: {
      /** List which actors are agents, bots and people. */
      list: 'GET /api/v1/actors/patterns',
      /** Say which actors are agents, bots or people. */
      create: 'POST /api/v1/actors/patterns',
      /** Change a pattern of actors. */
      update: 'PUT /api/v1/actors/patterns/{id}',
      /** Delete a pattern of actors. */
      delete: 'DELETE /api/v1/actors/patterns/{id}',
    },
  },
  webhooks: {
    /** List the webhooks. */
    list: 'GET /api/v1/webhooks',
    /** Create a webhook. */
    create: 'POST /api/v1/webhooks',
    /** Get a webhook. */
    get: 'GET /api/v1/webhooks/{id}',
    /** Change a webhook. */
    update: 'PUT /api/v1/webhooks/{id}',
    /** Delete a webhook. */
    delete: 'DELETE /api/v1/webhooks/{id}',
    /** Rotate the signing secret. */
    rotateSecret: 'POST /api/v1/webhooks/{id}/rotate-secret',
    /** Send a test event. */
    ping: 'POST /api/v1/webhooks/{id}/ping',
    deliveries: {
      /** List the deliveries of a webhook. */
      list: 'GET /api/v1/webhooks/{id}/deliveries deliveries',
      /** Get a delivery. */
      get: 'GET /api/v1/webhooks/{id}/deliveries/{delivery_id}',
      /** Sign deliveries for another receiver. */
      sign: 'POST /api/v1/webhooks/{id}/deliveries/sign',
      /** Resend a delivery. */
      resend: 'POST /api/v1/webhooks/{id}/deliveries/{delivery_id}/resend',
    },
    resends: {
      /** Resend many deliveries. */
      create: 'POST /api/v1/webhooks/{id}/resends',
      /** List the resends of a webhook. */
      list: 'GET /api/v1/webhooks/{id}/resends data',
      /** Get a resend. */
      get: 'GET /api/v1/webhooks/{id}/resends/{resend_id}',
      /** Cancel a resend. */
      cancel: 'POST /api/v1/webhooks/{id}/resends/{resend_id}/cancel',
    },
  },
  eventTypes: {
    /** List event types. */
    list: 'GET /api/v1/event-types',
  },
  runs: {
    /** List the runs. */
    list: 'GET /api/v1/runs data',
    /** Get a run. */
    get: 'GET /api/v1/runs/{id}',
    amounts: {
      /** Report what a run cost beside its jobs. */
      report: 'PUT /api/v1/runs/{id}/amounts',
    },
    receipt: {
      /** Get a run's receipt as markdown. */
      get: 'GET /api/v1/runs/{id}/receipt.md',
    },
    /** Delete a run. */
    delete: 'DELETE /api/v1/runs/{id}',
    /** Delete many runs. */
    deleteMany: 'POST /api/v1/runs/delete',
  },
  reprices: {
    /** List the reprices. */
    list: 'GET /api/v1/reprices data',
    /** Reprice past jobs. */
    run: 'POST /api/v1/reprices',
    /** Get a reprice. */
    get: 'GET /api/v1/reprices/{id}',
    changes: {
      /** List the jobs that a reprice changed. */
      list: 'GET /api/v1/reprices/{id}/changes data',
    },
    /** Undo a reprice. */
    revert: 'POST /api/v1/reprices/{id}/revert',
    /** Cancel a reprice. */
    cancel: 'POST /api/v1/reprices/{id}/cancel',
  },
  sources: {
    /** List the sources. */
    list: 'GET /api/v1/sources',
    /** Create a source. */
    create: 'POST /api/v1/sources',
    /** Delete a source. */
    delete: 'DELETE /api/v1/sources/{id}',
    kinds: {
      /** List the source kinds. */
      list: 'GET /api/v1/sources/kinds',
    },
    credentials: {
      /** Get the credentials of a source. */
      get: 'GET /api/v1/sources/{id}/credentials',
      /** Set the credentials of a source. */
      set: 'PUT /api/v1/sources/{id}/credentials',
      /** Delete the credentials of a source. */
      delete: 'DELETE /api/v1/sources/{id}/credentials',
    },
  },
  backfills: {
    /** List the backfills. */
    list: 'GET /api/v1/backfills data',
    /** Get a backfill. */
    get: 'GET /api/v1/backfills/{id}',
    completeness: {
      /** Get the completeness of deliveries. */
      get: 'GET /api/v1/backfills/completeness data',
    },
    /** Start a backfill. */
    start: 'POST /api/v1/backfills',
    /** Cancel a backfill. */
    cancel: 'POST /api/v1/backfills/{id}/cancel',
  },
  usage: {
    imports: {
      /** List the imports of usage data. */
      list: 'GET /api/v1/usage-imports data',
      /** Get an import of usage data. */
      get: 'GET /api/v1/usage-imports/{id}',
      /** Import usage data of CircleCI. */
      start: 'POST /api/v1/usage-imports',
      /** Cancel an import of usage data. */
      cancel: 'POST /api/v1/usage-imports/{id}/cancel',
    },
  },
  githubApps: {
    /** Start creating a GitHub App. */
    start: 'POST /api/v1/github-apps',
    /** Create a source of a new GitHub App. */
    create: 'POST /api/v1/github-apps/create',
    /** Use the installation of a GitHub App. */
    install: 'POST /api/v1/github-apps/{id}/install',
  },
  gitlab: {
    place: {
      /** Find groups and projects at GitLab. */
      find: 'POST /api/v1/gitlab-webhooks/find',
    },
    /** Connect GitLab. */
    connect: 'POST /api/v1/gitlab-webhooks',
  },
  hostedRunners: {
    /** List GitHub's larger runners. */
    list: 'GET /api/v1/hosted-runners',
    /** Read GitHub's list of larger runners now. */
    read: 'POST /api/v1/hosted-runners/read',
  },
  storages: {
    readings: {
      /** Read what GitHub stores. */
      start: 'POST /api/v1/storage/readings',
      /** Cancel a reading of storage. */
      cancel: 'POST /api/v1/storage/readings/{id}/cancel',
      /** Get a reading of storage. */
      get: 'GET /api/v1/storage/readings/{id}',
      /** List the readings of storage. */
      list: 'GET /api/v1/storage/readings data',
    },
    /** List what GitHub stores, by workflow. */
    list: 'GET /api/v1/storage data.items',
  },
  dashboard: {
    summary: {
      /** Get the cost summary. */
      get: 'GET /api/v1/dashboard/summary?org_id',
    },
    trends: {
      /** Get daily costs and runs. */
      list: 'GET /api/v1/dashboard/trends?org_id',
    },
    recentRuns: {
      /** List the latest runs. */
      list: 'GET /api/v1/dashboard/recent-runs?org_id',
    },
    topWorkflows: {
      /** List the most expensive workflows. */
      list: 'GET /api/v1/dashboard/top-workflows?org_id',
    },
    workflows: {
      /** List the workflows. */
      list: 'GET /api/v1/dashboard/workflows?org_id workflows',
    },
    workflowSummary: {
      /** Summary of all workflows. */
      get: 'GET /api/v1/dashboard/workflows/summary?org_id',
    },
    days: {
      /** Get a day. */
      get: 'GET /api/v1/dashboard/days/{day}',
    },
    outlook: {
      /** Get open decisions. */
      get: 'GET /api/v1/dashboard/outlook',
    },
    projection: {
      /** Forecast the month. */
      get: 'GET /api/v1/dashboard/projection',
    },
    dataQuality: {
      /** Get the data quality. */
      get: 'GET /api/v1/dashboard/unknowns',
    },
  },
  workflows: {
    /** Get a workflow. */
    get: 'GET /api/v1/workflows/{id}',
  },
  costs: {
    /** Ask about costs. */
    list: 'GET /api/v1/costs',
    change: {
      /** Explain what changed between two periods. */
      get: 'GET /api/v1/costs/change',
    },
    runs: {
      /** List the runs behind a cost. */
      list: 'GET /api/v1/costs/runs data',
    },
    jobs: {
      /** List the jobs behind a cost. */
      list: 'GET /api/v1/costs/jobs data',
    },
    workflows: {
      /** List the workflows with their costs. */
      list: 'GET /api/v1/costs/workflows data',
    },
  },
  durations: {
    /** Ask about durations. */
    list: 'GET /api/v1/durations',
  },
  pullRequests: {
    /** List what pull requests cost. */
    list: 'GET /api/v1/pull-requests data.pull_requests',
    /** Report the cost of a pull request. */
    report: 'POST /api/v1/pull-request-reports',
    settings: {
      /** Get what Runcost does in pull requests. */
      get: 'GET /api/v1/pull-request-settings',
      /** Change what Runcost does in pull requests. */
      update: 'PUT /api/v1/pull-request-settings',
    },
    comments: {
      /** List the latest comments on pull requests. */
      list: 'GET /api/v1/pull-request-comments',
    },
  },
  shares: {
    /** List share links. */
    list: 'GET /api/v1/share-links',
    /** Create a share link. */
    create: 'POST /api/v1/share-links',
    /** Revoke a share link. */
    revoke: 'DELETE /api/v1/share-links/{id}',
  },
  annotations: {
    /** List annotations. */
    list: 'GET /api/v1/annotations',
    /** Add a note. */
    add: 'POST /api/v1/annotations',
    /** Change a note. */
    update: 'PUT /api/v1/annotations/{id}',
    /** Delete a note. */
    delete: 'DELETE /api/v1/annotations/{id}',
  },
  views: {
    /** List saved views. */
    list: 'GET /api/v1/views',
    /** Save a view. */
    create: 'POST /api/v1/views',
    /** Change a saved view. */
    update: 'PUT /api/v1/views/{id}',
    /** Delete a saved view. */
    delete: 'DELETE /api/v1/views/{id}',
  },
  showback: {
    /** Get what each team or cost center spent in a month. */
    get: 'GET /api/v1/showback',
  },
  bills: {
    /** Compare our costs with the bill. */
    reconcile: 'GET /api/v1/bills/reconciliation data',
    months: {
      /** Sum the bill by month. */
      list: 'GET /api/v1/bills/months',
      /** Get the close of a month. */
      get: 'GET /api/v1/bills/months/{id}',
      /** Send the close of a month. */
      send: 'POST /api/v1/bills/months/{id}/send',
    },
    /** List the bill reports. */
    list: 'GET /api/v1/bills/reports data',
    /** Get a bill report. */
    get: 'GET /api/v1/bills/reports/{id}',
    /** Delete a bill report. */
    delete: 'DELETE /api/v1/bills/reports/{id}',
    accounts: {
      /** List the bill accounts. */
      list: 'GET /api/v1/bills/accounts',
      /** Connect a bill account. */
      create: 'POST /api/v1/bills/accounts',
      /** Disconnect a bill account. */
      delete: 'DELETE /api/v1/bills/accounts/{id}',
    },
    fetchs: {
      /** Fetch a bill. */
      start: 'POST /api/v1/bills/fetches',
      /** List the fetches of bills. */
      list: 'GET /api/v1/bills/fetches data',
      /** Get a fetch of a bill. */
      get: 'GET /api/v1/bills/fetches/{id}',
      /** Cancel a fetch of a bill. */
      cancel: 'POST /api/v1/bills/fetches/{id}/cancel',
    },
  },
  waste: {
    /** Get waste. */
    get: 'GET /api/v1/waste data.workflows',
    fixes: {
      /** List what to change about waste. */
      list: 'GET /api/v1/waste/fixes data.fixes',
      /** Mark a fix as done, or dismiss it. */
      decide: 'PUT /api/v1/waste/fixes/{id}/decision',
      /** Reopen a fix. */
      reopen: 'DELETE /api/v1/waste/fixes/{id}/decision',
    },
    runs: {
      /** List the runs with the most waste of a workflow. */
      list: 'GET /api/v1/waste/runs',
    },
    trend: {
      /** Get waste by week. */
      get: 'GET /api/v1/waste/trend',
    },
  },
  moves: {
    /** List moves to other runners, and whether they pay. */
    list: 'GET /api/v1/moves data.moves',
  },
  estimates: {
    /** Estimate a change of workflow files. */
    get: 'POST /api/v1/estimates',
  },
  fixes: {
    /** Get a fix as a patch. */
    patch: 'POST /api/v1/fixes/{id}/patch',
    /** Open a pull request with a fix. */
    open: 'POST /api/v1/fixes/{id}/pull-request',
  },
  workflowFiles: {
    /** List the workflow files of a repository. */
    list: 'GET /api/v1/workflow-files',
  },
  exports: {
    /** Create an export. */
    create: 'POST /api/v1/exports',
    /** List the exports. */
    list: 'GET /api/v1/exports data',
    /** Get an export. */
    get: 'GET /api/v1/exports/{id}',
    /** Cancel an export. */
    cancel: 'POST /api/v1/exports/{id}/cancel',
  },
  scheduledExports: {
    /** List the scheduled exports. */
    list: 'GET /api/v1/scheduled-exports',
    /** Create a scheduled export. */
    create: 'POST /api/v1/scheduled-exports',
    /** Change a scheduled export. */
    update: 'PUT /api/v1/scheduled-exports/{id}',
    /** Delete a scheduled export. */
    delete: 'DELETE /api/v1/scheduled-exports/{id}',
    /** Test the destination of a scheduled export. */
    test: 'POST /api/v1/scheduled-exports/{id}/test',
    uploads: {
      /** List the uploads of scheduled exports. */
      list: 'GET /api/v1/export-uploads data',
      /** Repeat an upload. */
      repeat: 'POST /api/v1/export-uploads/{id}/repeat',
    },
  },
  channels: {
    kinds: {
      /** List the kinds of channels. */
      list: 'GET /api/v1/channel-kinds',
    },
    /** List the channels. */
    list: 'GET /api/v1/channels',
    /** Create a channel. */
    create: 'POST /api/v1/channels',
    /** Send a test message to a channel. */
    test: 'POST /api/v1/channels/test',
    /** Get a channel. */
    get: 'GET /api/v1/channels/{id}',
    /** Change a channel. */
    update: 'PUT /api/v1/channels/{id}',
    /** Delete a channel. */
    delete: 'DELETE /api/v1/channels/{id}',
  },
  alertTypes: {
    /** List the alert types. */
    list: 'GET /api/v1/alert-types',
  },
  alerts: {
    /** List the alerts. */
    list: 'GET /api/v1/alerts?org_id',
    /** Create an alert. */
    create: 'POST /api/v1/alerts?org_id',
    /** Get an alert. */
    get: 'GET /api/v1/alerts/{id}',
    /** Change an alert. */
    update: 'PUT /api/v1/alerts/{id}',
    /** Delete an alert. */
    delete: 'DELETE /api/v1/alerts/{id}',
    /** Check an alert now. */
    check: 'POST /api/v1/alerts/{id}/check',
    /** Measure all alerts. */
    measure: 'GET /api/v1/alerts/measurements',
    /** Preview an alert. */
    preview: 'POST /api/v1/alerts/preview',
    /** See whom an alert reaches. */
    reach: 'POST /api/v1/alerts/reach',
    /** Send a test message to whom an alert reaches. */
    test: 'POST /api/v1/alerts/test',
    triggers: {
      /** List the triggers of an alert. */
      list: 'GET /api/v1/alerts/{id}/triggers triggers',
      /** Explain a trigger. */
      get: 'GET /api/v1/alerts/{id}/triggers/{trigger_id}',
      /** Acknowledge a trigger. */
      acknowledge: 'POST /api/v1/alerts/{id}/triggers/{trigger_id}/acknowledge',
    },
  },
  digests: {
    /** List digests. */
    list: 'GET /api/v1/digests',
    /** Preview a digest. */
    preview: 'GET /api/v1/digests/preview',
    /** Create a digest. */
    create: 'POST /api/v1/digests',
    /** Change a digest. */
    update: 'PUT /api/v1/digests/{id}',
    /** Delete a digest. */
    delete: 'DELETE /api/v1/digests/{id}',
    /** Send a digest now. */
    send: 'POST /api/v1/digests/{id}/send',
  },
} as const;
