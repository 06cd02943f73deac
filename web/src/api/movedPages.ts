// Written by `npm run api-types` from src/platform/http/movedPages.ts.
export const movedPages = [
  { from: '/showback', to: '/teams' },
  { from: '/backfills', to: '/history' },
  { from: '/settings/sources', to: '/sources' },
  { from: '/settings/share-links', to: '/share-links' },
];
